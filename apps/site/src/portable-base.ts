// VitePress writes the folder that a site is served from into all of its files. Ours can be put anywhere: the folder is a
// word there, which the page replaces by where it finds itself.
import { copyFileSync, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { parseAst, type Plugin } from 'vite'

/** The word, in the form of a folder. */
export const BASE = '/__base__/'

/** The global in which a page keeps the path of the folder. */
const HERE = '__cloisterBase'

/** VitePress's own code asks for the folder where it can be known only in the browser. */
export const askedInBrowser: Plugin = {
  name: 'base-in-browser',
  enforce: 'pre',
  transform: (code, id, options) =>
    options?.ssr !== true && id.includes('/vitepress/dist/client/')
      ? code.replaceAll('import.meta.env.BASE_URL', `globalThis.${HERE}`)
      : undefined,
}

/** Rewrites all pages and scripts of a site that was built for the word. */
export function makePortable(folder: string): void {
  for (const file of globSync('**/*.{html,js}', { cwd: folder })) {
    const text = readFileSync(join(folder, file), 'utf8')
    const portable = file.endsWith('.html') ? portablePage(text, file.replaceAll(sep, '/')) : portableScript(text)
    if (portable !== text) writeFileSync(join(folder, file), portable)
  }
}

/**
 * A page that is opened loads its script under a second name, of a copy that VitePress makes without what is on the page
 * already. Vite 8 takes no further files from a plugin that way, so that the copy is the script itself.
 */
export function addMissingCopies(folder: string): void {
  for (const file of globSync('assets/*.md.*.js', { cwd: folder }).filter((name) => !name.endsWith('.lean.js'))) {
    const copy = join(folder, file.replace(/\.js$/, '.lean.js'))
    if (!existsSync(copy)) copyFileSync(join(folder, file), copy)
  }
}

/** Puts the global in the place of the word in a script, where it stands in strings and templates alone. */
export function portableScript(code: string): string {
  if (!code.includes(BASE)) return code
  const found: Array<{ readonly from: number; readonly to: number; readonly text: string }> = []
  visit(parseAst(code), (node) => {
    const source = code.slice(node.start, node.end)
    if (!source.includes(BASE)) return
    if (node.type === 'Literal') {
      const quote = source[0]
      const parts = source
        .slice(1, -1)
        .split(BASE)
        .map((part) => quote + part + quote)
      found.push({ from: node.start, to: node.end, text: `(${parts.join(`+${HERE}+`)})` })
    } else if (node.type === 'TemplateElement')
      found.push({ from: node.start, to: node.end, text: source.replaceAll(BASE, `\${${HERE}}`) })
  })
  let text = ''
  let at = 0
  for (const each of found) {
    text += code.slice(at, each.from) + each.text
    at = each.to
  }
  return text + code.slice(at)
}

/** The same for a page. @param path of the page, from the site's folder: `tutorials/first-run.html` */
export function portablePage(html: string, path: string): string {
  const up = '../'.repeat(path.split('/').length - 1) || './'
  // The page's own script takes over after this one: what it shows then is at another address, from which relative links would lead elsewhere.
  const find = `<script>${HERE}=new URL(${JSON.stringify(up)},location.href).pathname</script>`
  const absolute = `<script>for(const a of document.querySelectorAll('a[href]'))if(!a.getAttribute('href').startsWith('#'))a.href=a.href</script>`
  return html
    .replaceAll(/<script[^>]*>([^<]*)<\/script>/g, (script, code: string) =>
      code.includes(BASE) ? script.replaceAll(BASE, `"+${HERE}+"`) : script,
    )
    .replaceAll(`="${BASE}`, `="${up}`)
    .replace('<head>', `<head>${find}`)
    .replace('</body>', `${absolute}</body>`)
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}

/** Calls `see` for every node of a tree, in the order of the text. */
function visit(node: Node, see: (node: Node) => void): void {
  see(node)
  const inner = Object.values(node)
    .flat()
    .filter((value): value is Node => typeof value === 'object' && value !== null && 'type' in value)
  for (const each of inner.sort((a, b) => a.start - b.start)) visit(each, see)
}
