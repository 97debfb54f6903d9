// Builds the playground: its page with the stored runs, workers and sandbox, and the viewer's page.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildPage } from '@cloister/viewer/build'
import { build, type BuildOptions, type Plugin } from 'esbuild'
import type { ContractTypes } from './playground/contract-types.ts'
import type { StoredRuns } from './playground/page/viewer.tsx'
import type { Declarations } from './playground/compiler-worker.ts'
import { simulateStored } from './stored-runs.ts'

const app = join(import.meta.dirname, '..')

/** The policy contract in two forms: types for help in the editor, and declarations for the compiler. */
interface PlaygroundTypes {
  readonly types: ContractTypes
  readonly declarations: Declarations
}

/** Splits the viewer's page: the script that draws pictures becomes a file, which the page fetches at the first use. */
function withoutPictures(page: string): readonly [page: string, pictures: string] {
  const [before, pictures, after] = page.split(/(?<=<script type="text\/plain" id="pictures")>([^]*?)(?=<\/script>)/)
  return [`${before} data-from="${PICTURES}">${after}`, pictures]
}

/** Address of the script that draws pictures, relative to the viewer's page. */
const PICTURES = './pictures.js'

/** Modules of Node that the conformance suite imports. */
const ofNode = ['node:fs', 'node:path', 'node:perf_hooks', 'node:util', 'node:v8', 'node:vm']

/** Builds the playground into `folder`. @param root root of the repository */
export async function buildPlayground(root: string, folder: string, known: PlaygroundTypes): Promise<void> {
  const { stored, files } = await simulateStored(root)
  const options: BuildOptions = {
    absWorkingDir: app,
    outdir: folder,
    bundle: true,
    minify: true,
    target: 'es2022',
    charset: 'ascii',
    conditions: ['@cloister/source'],
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'linked',
    logLevel: 'warning',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    plugins: [modulesOf(root, known, stored)],
  }
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  await build({
    ...options,
    entryPoints: { main: 'src/playground/page/main.tsx' },
    format: 'esm',
    splitting: true,
    chunkNames: '[name]-[hash]',
  })
  await build({ ...options, entryPoints: { main: 'src/playground/page/style.css' } })
  await build({
    ...options,
    entryPoints: { worker: 'src/playground/worker.ts', compiler: 'src/playground/compiler-worker.ts' },
    format: 'iife',
  })
  await build({
    ...options,
    entryPoints: { checks: 'src/playground/checks-worker.ts' },
    format: 'iife',
    alias: Object.fromEntries(ofNode.map((name) => [name, './src/playground/node-in-browser.ts'])),
  })
  const scriptOf = async (source: string): Promise<string> => {
    const { outputFiles } = await build({ ...options, entryPoints: [source], write: false, legalComments: 'none' })
    return outputFiles[0].text.trim()
  }
  const [viewer, pictures] = withoutPictures(await buildPage())
  writeFileSync(join(folder, 'viewer.html'), viewer)
  writeFileSync(join(folder, 'pictures.js'), pictures)
  writeFileSync(join(folder, 'sandbox.html'), sandboxPage(await scriptOf('src/playground/sandbox.ts')))
  const page = await firstPage(options, join(app, 'dist/playground-page'))
  writeFileSync(
    join(folder, 'index.html'),
    playgroundPage(viewer, await scriptOf('src/playground/before-paint.ts'), page),
  )
}

/** Returns the playground's page with the stored runs as HTML, so that a browser shows the page before any script. */
async function firstPage(options: BuildOptions, folder: string): Promise<string> {
  await build({
    ...options,
    outdir: folder,
    entryPoints: { page: 'src/playground/page/first-page.tsx' },
    format: 'esm',
    platform: 'node',
    splitting: true,
    outExtension: { '.js': '.mjs' },
    external: ['codemirror', '@codemirror/*'],
  })
  const { html } = (await import(pathToFileURL(join(folder, 'page.mjs')).href)) as { readonly html: string }
  return html
}

const sha256 = (script: string): string => `'sha256-${createHash('sha256').update(script).digest('base64')}'`

/** Returns the page that runs a user's code, without network and origin: only as the worker script of a message. */
function sandboxPage(script: string): string {
  const policy = `default-src 'none'; script-src ${sha256(script)} blob:; worker-src blob:`
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Sandbox</title>
<script>${script}</script>
</html>
`
}

/** Returns the playground's page. Its content security policy allows the inline scripts by the scripts' checksums. */
function playgroundPage(viewer: string, beforePaint: string, page: string): string {
  const hash = /script-src ([^;]+)/.exec(viewer)?.[1]
  if (hash === undefined) throw new Error("the viewer's page does not have the checksums of the viewer's scripts")
  const policy = `default-src 'none'; script-src 'self' ${hash} ${sha256(beforePaint)}; worker-src 'self'; frame-src 'self' blob:; connect-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'`
  return readFileSync(join(app, 'playground/index.html'), 'utf8')
    .replace('<!--policy-->', policy)
    .replace('<!--before-paint-->', () => beforePaint)
    .replace('<!--page-->', () => page)
}

function modulesOf(root: string, { types, declarations }: PlaygroundTypes, stored: StoredRuns): Plugin {
  const folder = join(root, 'packages/policies')
  const names = readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'package.json')))
    .sort()
  const modules: Readonly<Record<string, () => string>> = {
    'site:policy-names': () => `export const policies = ${JSON.stringify(names)}`,
    'site:policies': () =>
      `${names.map((name, at) => `import p${at} from ${JSON.stringify(join(folder, name, 'src/index.ts'))}\n`).join('')}export const policies = [${names.map((_, at) => `p${at}`).join(', ')}]`,
    'site:stored-runs': () => `export const stored = ${JSON.stringify(stored)}`,
    'site:contract-types': () => `export const types = ${JSON.stringify(types)}`,
    'site:contract-declarations': () => `export const declarations = ${JSON.stringify(declarations)}`,
    'site:policy-to-start-from': () => {
      const tutorial = readFileSync(join(app, 'pages/tutorials/write-a-policy.md'), 'utf8')
      return `export const code = ${JSON.stringify(/^```ts\n([\s\S]*?)^```$/m.exec(tutorial)?.[1])}`
    },
  }
  return {
    name: 'site-modules',
    setup(bundle) {
      bundle.onResolve({ filter: /^site:/ }, ({ path }) => ({ path, namespace: 'site' }))
      bundle.onLoad({ filter: /.*/, namespace: 'site' }, ({ path }) => ({
        contents: modules[path]?.() ?? '',
        resolveDir: root,
      }))
    },
  }
}
