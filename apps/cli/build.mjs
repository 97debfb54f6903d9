// Bundles the command line and every policy package of packages/policies into dist/cloister.js. The build splits off
// parts, which the program loads when a command needs them. The viewer's page stands beside the program.
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

/** Resolves the module `cloister:builtin-policies`, a list of policy packages. Each package loads at its first use. */
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

/** Replaces web sockets (`ws`), an unused dependency of a dependency, by an empty module. */
const unused = {
  name: 'unused',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^ws$/ }, ({ path }) => ({ path, namespace: 'unused' }))
    onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = {}' }))
  },
}

/** Module version of the package `yaml`. Its entry for Node is CommonJS and requires `process`, unlike this bundle. */
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
  // A part loads when a command needs the part. The names of parts contain hashes of their content, so that the content
  // of cloister.js identifies the build.
  splitting: true,
  chunkNames: '[name]-[hash]',
  format: 'esm',
  platform: 'node',
  // The syntax of the first part suits older Nodes, so that the check of Node's version can run there.
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
const { page, packages } = await bundlePage()
writeFileSync(join(dist, 'viewer.html'), page)
const bundled = new Map(
  [...thirdParty(bundledFrom(here, metafile)), ...packages].map((each) => [`${each.name}@${each.version}`, each]),
)
const notices = noticesOf([...bundled].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each))
writeFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), `The files beside this one contain:\n\n${notices}`)
