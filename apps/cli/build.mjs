// Bundles the command line, with every package of packages/policies as a built-in policy, into dist/cloister.js; beside it the viewer's page.
import { chmodSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildPage } from '@cloister/viewer/build'
import { build } from 'esbuild'

const here = dirname(fileURLToPath(import.meta.url))
const policiesFolder = join(here, '../../packages/policies')
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))

/** `import { builtinPolicies } from 'cloister:builtin-policies'`: what each policy package exports by default, by name. */
const builtinPolicies = {
  name: 'builtin-policies',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^cloister:builtin-policies$/ }, ({ path }) => ({ path, namespace: 'builtin-policies' }))
    onLoad({ filter: /.*/, namespace: 'builtin-policies' }, () => {
      const folders = readdirSync(policiesFolder)
        .sort()
        .filter((folder) => existsSync(join(policiesFolder, folder, 'package.json')))
      const entries = folders.map((folder) =>
        join(
          policiesFolder,
          folder,
          readJson(join(policiesFolder, folder, 'package.json')).exports['.']['@cloister/source'],
        ),
      )
      const imports = entries.map((entry, i) => `import policy${i} from ${JSON.stringify(entry)}`)
      return {
        contents: `${imports.join('\n')}\nexport const builtinPolicies = [${entries.map((_, i) => `policy${i}`).join(', ')}]`,
        resolveDir: policiesFolder,
      }
    })
  },
}

/**
 * Node's own modules through require, not import: an old Node fails to link a module that imports by name what its
 * zlib does not have, before the check of its version could say so.
 */
const nodeModules = {
  name: 'node-modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'node-modules' }))
    onLoad({ filter: /.*/, namespace: 'node-modules' }, ({ path }) => ({
      contents: `module.exports = nodeRequire(${JSON.stringify(path)})`,
    }))
  },
}

/** What comes with something else and is never used: vitest, under which the conformance checks can be registered, and web sockets. */
const unused = {
  name: 'unused',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(vitest|ws)$/ }, ({ path }) => ({ path, namespace: 'unused' }))
    onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = {}' }))
  },
}

rmSync(join(here, 'dist'), { recursive: true, force: true })
const outfile = join(here, 'dist/cloister.js')
await build({
  absWorkingDir: here,
  entryPoints: ['src/main.ts'],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  // Syntax that older Nodes parse, so that they get as far as the check of their version.
  target: 'node18',
  conditions: ['@cloister/source'],
  banner: {
    js: '#!/usr/bin/env node\nimport { createRequire as createNodeRequire } from "node:module"\nconst nodeRequire = createNodeRequire(import.meta.url)',
  },
  define: { CLOISTER_VERSION: JSON.stringify(readJson(join(here, 'package.json')).version) },
  plugins: [builtinPolicies, nodeModules, unused],
  legalComments: 'none',
  sourcemap: false,
  logLevel: 'warning',
})
chmodSync(outfile, 0o755)
writeFileSync(join(here, 'dist/viewer.html'), await buildPage())
