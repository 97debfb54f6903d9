// Bundles the command line, with every package of packages/policies as a built-in policy, into dist/cloister.js and the parts that it loads when a command needs them; beside them the viewer's page.
import { chmodSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildPage } from '@cloister/viewer/build'
import { build } from 'esbuild'

const here = dirname(fileURLToPath(import.meta.url))
const policiesFolder = join(here, '../../packages/policies')
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))

/** The folder of each policy package, by name. */
const policyFolders = readdirSync(policiesFolder)
  .sort()
  .filter((folder) => existsSync(join(policiesFolder, folder, 'package.json')))
  .map((folder) => join(policiesFolder, folder))

/**
 * `import { builtinPolicies } from 'cloister:builtin-policies'`: what each policy package exports by default; and
 * `import { builtinReadmes } from 'cloister:builtin-readmes'`: their READMEs, by name of the policy.
 */
const builtinPolicies = {
  name: 'builtin-policies',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^cloister:builtin-/ }, ({ path }) => ({ path, namespace: 'builtin-policies' }))
    onLoad({ filter: /policies$/, namespace: 'builtin-policies' }, () => {
      const entries = policyFolders.map((folder) =>
        join(folder, readJson(join(folder, 'package.json')).exports['.']['@cloister/source']),
      )
      const imports = entries.map((entry, i) => `import policy${i} from ${JSON.stringify(entry)}`)
      return {
        contents: `${imports.join('\n')}\nexport const builtinPolicies = [${entries.map((_, i) => `policy${i}`).join(', ')}]`,
        resolveDir: policiesFolder,
      }
    })
    onLoad({ filter: /readmes$/, namespace: 'builtin-policies' }, () => {
      const readmes = policyFolders.map((folder) => [basename(folder), readFileSync(join(folder, 'README.md'), 'utf8')])
      return { contents: `export const builtinReadmes = ${JSON.stringify(Object.fromEntries(readmes))}` }
    })
  },
}

/** What comes with something else and is never used: web sockets. */
const unused = {
  name: 'unused',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^ws$/ }, ({ path }) => ({ path, namespace: 'unused' }))
    onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = {}' }))
  },
}

/**
 * `import { Schema } from 'effect'` as the import of that module alone. Through the entry of the package all of every
 * module would come along: half of the program, and most of the time that it takes to start.
 */
const effectModules = {
  name: 'effect-modules',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.tsx?$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(
        /^import \{([^}]*)\} from '(effect(?:\/[a-z]+)?)'/gm,
        (_, names, entry) =>
          names
            .split(',')
            .map((name) => name.trim())
            .filter((name) => name !== '' && !name.startsWith('type '))
            .map((name) => `import * as ${name} from '${entry}/${name}'`)
            .join(';'),
      ),
      loader: path.endsWith('x') ? 'tsx' : 'ts',
    }))
  },
}

const dist = join(here, 'dist')
rmSync(dist, { recursive: true, force: true })
await build({
  absWorkingDir: here,
  entryPoints: { cloister: 'src/main.ts' },
  outdir: dist,
  bundle: true,
  // What a command needs is loaded when it runs. The name of a part tells its content, so that the program's own tells the build.
  splitting: true,
  chunkNames: '[name]-[hash]',
  format: 'esm',
  platform: 'node',
  // The first part has syntax that older Nodes parse, so that they get as far as the check of their version.
  target: 'node18',
  conditions: ['@cloister/source'],
  define: { CLOISTER_VERSION: JSON.stringify(readJson(join(here, 'package.json')).version) },
  plugins: [builtinPolicies, unused, effectModules],
  legalComments: 'none',
  sourcemap: false,
  logLevel: 'warning',
})
chmodSync(join(dist, 'cloister.js'), 0o755)
writeFileSync(join(dist, 'viewer.html'), await buildPage())
