// An esbuild plugin: replaces imports from the entry of a package by imports of the modules that define the names.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const workspaces = ['packages', 'apps']

/**
 * Rewrites `import { Schema } from 'effect'` into an import of the module of `Schema` alone, and does so for imports and
 * re-exports from packages of this repository, too. In a program split into parts, an entry with a list of modules would
 * put all modules of the list into one part, and a user of one module would load the whole part.
 */
export const directImports = {
  name: 'direct-imports',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.tsx?$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(
        /^(import|export) \{([^}]*)\} from '(effect(?:\/[a-z]+)?|@cloister\/[a-z/-]+)'/gm,
        (statement, verb, list, entry) => {
          const names = list.split(',').map((name) => name.trim())
          const values = names.filter((name) => name !== '' && !name.startsWith('type '))
          if (verb === 'import' && entry.startsWith('effect'))
            return values.map((name) => `import * as ${name} from '${entry}/${name}'`).join(';')
          const modules = modulesOf(entry)
          const sources = values.map((name) => modules.get(name.split(' as ')[0]))
          if (sources.includes(undefined)) return statement
          return values.map((name, at) => `${verb} { ${name} } from ${JSON.stringify(sources[at])}`).join(';')
        },
      ),
      loader: path.endsWith('x') ? 'tsx' : 'ts',
    }))
  },
}

const known = new Map()

/** Returns the source file of each name that the entry of a package of this repository exports. */
function modulesOf(entry) {
  if (!known.has(entry)) known.set(entry, readEntry(entry))
  return known.get(entry)
}

function readEntry(entry) {
  const [, name, ...rest] = entry.split('/')
  const folder = workspaces.map((each) => join(root, each, name)).find((each) => existsSync(join(each, 'package.json')))
  const target =
    folder && JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).exports[['.', ...rest].join('/')]
  // An unpublished package exports its source file directly.
  const source = typeof target === 'string' ? target : target?.['@cloister/source']
  if (source === undefined) return new Map()
  const path = join(folder, source)
  const lists = readFileSync(path, 'utf8').matchAll(/^export \{([^}]*)\} from '(\.[^']+)'/gm)
  return new Map(
    [...lists].flatMap(([, list, from]) =>
      list
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== '' && !each.startsWith('type ') && !each.includes(' as '))
        .map((each) => [each, join(dirname(path), from)]),
    ),
  )
}
