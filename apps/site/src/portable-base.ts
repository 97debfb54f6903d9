// VitePress writes the address of a site's folder into all files of the site. Cloister's site works in any folder: the
// files have a placeholder for the address, and each page replaces the placeholder at run time.
import { copyFileSync, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { parseAst, type Plugin } from 'vite'

/** Placeholder of the site's folder in the files that VitePress writes. */
export const BASE = '/__base__/'

/** Name of the global variable with the path of the site's folder. */
const HERE = '__cloisterBase'

/** Makes VitePress's code in the browser read the site's folder from the global variable, and not from the build. */
export const askedInBrowser: Plugin = {
  name: 'base-in-browser',
  enforce: 'pre',
  transform: (code, id, options) =>
    options?.ssr !== true && id.includes('/vitepress/dist/client/')
      ? code.replaceAll('import.meta.env.BASE_URL', `globalThis.${HERE}`)
      : undefined,
}

/**
 * Makes a site work in any folder: replaces the placeholder `BASE` in all pages and scripts by relative paths and by a
 * global variable, which each page sets to the path of the site's folder.
 */
export function makePortable(folder: string): void {
  for (const file of globSync('**/*.{html,js}', { cwd: folder })) {
    const text = readFileSync(join(folder, file), 'utf8')
    const portable = file.endsWith('.html') ? portablePage(text, file.replaceAll(sep, '/')) : portableScript(text)
    if (portable !== text) writeFileSync(join(folder, file), portable)
  }
}

/**
 * Copies each page's script to the second name `….lean.js`. VitePress loads the script under this name for an opened
 * page, and expects a shorter script without the content of the page. Under Vite 8 VitePress's plugin cannot write the
 * shorter script.
 */
export function addMissingCopies(folder: string): void {
  for (const file of globSync('assets/*.md.*.js', { cwd: folder }).filter((name) => !name.endsWith('.lean.js'))) {
    const copy = join(folder, file.replace(/\.js$/, '.lean.js'))
    if (!existsSync(copy)) copyFileSync(join(folder, file), copy)
  }
}

/** Replaces the placeholder of the site's folder in the strings and templates of a script by the global variable. */
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

/** Replaces the placeholder of the site's folder in a page. @param path path of the page in the site's folder */
export function portablePage(html: string, path: string): string {
  const up = '../'.repeat(path.split('/').length - 1) || './'
  // VitePress's script may show the page at a different address. So the script `absolute` makes relative links
  // absolute.
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

/** Visits a syntax tree in the order of the text. */
function visit(node: Node, see: (node: Node) => void): void {
  see(node)
  const inner = Object.values(node)
    .flat()
    .filter((value): value is Node => typeof value === 'object' && value !== null && 'type' in value)
  for (const each of inner.sort((a, b) => a.start - b.start)) visit(each, see)
}
