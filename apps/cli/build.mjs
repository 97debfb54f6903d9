// Bundles the command line and every policy package of packages/policies into dist/cloister.js. The build splits off
// parts of the program, and a command loads only the parts that it needs. The viewer's page and the stored outputs of the
// papers' experiments are files beside the program.
import { chmodSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundledFrom, noticesOf, thirdParty } from '@cloister/build/third-party'
import { bundlePage } from '@cloister/viewer/build'
import { build } from 'esbuild'
import { directImports } from './direct-imports.mjs'
import { lazySegmenter } from './lazy-segmenter.mjs'
import { mergeImportsOf } from './merge-start.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const policiesFolder = join(here, '../../packages/policies')
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))

/**
 * Plugin that resolves the module `cloister:builtin-policies`, the list of built-in policies; each loads at first use.
 */
const builtInPolicies = {
  name: 'builtin-policies',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^cloister:builtin-policies$/ }, ({ path }) => ({ path, namespace: 'builtin-policies' }))
    onLoad({ filter: /.*/, namespace: 'builtin-policies' }, () => {
      const entries = readdirSync(policiesFolder)
        .map((folder) => join(policiesFolder, folder))
        .filter((folder) => existsSync(join(folder, 'package.json')))
        .sort()
        .map(builtInPolicy)
      return { contents: `export const builtInPolicies = [${entries.join(', ')}]`, resolveDir: policiesFolder }
    })
  },
}

function builtInPolicy(folder) {
  const { name, version, description, exports } = readJson(join(folder, 'package.json'))
  const imported = (file) => `() => import(${JSON.stringify(join(folder, file))}).then((module) => module.default)`
  return `{
    name: ${JSON.stringify(name.replace('@cloister/policy-', ''))},
    version: ${JSON.stringify(version)},
    description: ${JSON.stringify(description)},
    load: ${imported(exports['.']['@cloister/source'])},
    readme: ${imported('README.md')},
  }`
}

/** Plugin that replaces web sockets (`ws`), an unused dependency of a dependency, by an empty module. */
const unused = {
  name: 'unused',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^ws$/ }, ({ path }) => ({ path, namespace: 'unused' }))
    onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = {}' }))
  },
}

/** Entry of `yaml` as a module. The entry for Node is CommonJS and requires `process`, which fails in this bundle. */
const yamlAsModule = join(
  dirname(createRequire(join(here, '../../packages/run/package.json')).resolve('yaml/package.json')),
  'browser/index.js',
)

const dist = join(here, 'dist')
rmSync(dist, { recursive: true, force: true })
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: { cloister: 'src/main.ts', 'start-worker': 'src/start-worker.ts' },
  outdir: dist,
  bundle: true,
  // The names of parts contain hashes of the parts, so that the content of cloister.js identifies the build.
  splitting: true,
  chunkNames: '[name]-[hash]',
  format: 'esm',
  platform: 'node',
  // The first part has syntax of older versions of Node, so that an older Node can run the check of the version.
  target: 'node18',
  conditions: ['@cloister/source'],
  alias: { yaml: yamlAsModule },
  loader: { '.md': 'text' },
  plugins: [builtInPolicies, unused, directImports, lazySegmenter],
  legalComments: 'none',
  sourcemap: false,
  metafile: true,
  logLevel: 'warning',
})
await mergeImportsOf('src/start.ts', dist, metafile.outputs)
chmodSync(join(dist, 'cloister.js'), 0o755)
const outputs = join(here, '../reproduce/experiments/outputs')
const texts = readdirSync(outputs).map((file) => readFileSync(join(outputs, file), 'utf8'))
writeFileSync(join(dist, 'stored-outputs.txt'), texts.join(''))
const { page, packages } = await bundlePage()
writeFileSync(join(dist, 'viewer.html'), page)
const bundled = new Map(
  [...thirdParty(bundledFrom(here, metafile)), ...packages].map((each) => [`${each.name}@${each.version}`, each]),
)
const notices = noticesOf([...bundled].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each))
writeFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), `The files beside this one contain:\n\n${notices}`)
