// Every name that a library publishes has a docstring: what it is, units, errors.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')

const KEYWORDS = '(?:declare |abstract |async )*(?:function\\*?|class|const|let|interface|type|enum) '

interface Export {
  readonly name: string
  /** Its name in the file that declares it or gives it on. */
  readonly local: string
  /** The file that it comes from; undefined for this one. */
  readonly from: string | undefined
}

/** The entries of a list in braces: `a, type B, c as d`. */
const listed = (list: string): ReadonlyArray<readonly [local: string, name: string]> =>
  list
    .split(',')
    .map((entry) => entry.trim().replace(/^type\s+/, ''))
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [local, name = local] = entry.split(/\s+as\s+/)
      return [local, name]
    })

function exportsOf(file: string): ReadonlyArray<Export> {
  const text = readFileSync(file, 'utf8')
  const all = [...text.matchAll(/^export (?:type )?\* from '([^']+)'/gm)].flatMap(([, from]) =>
    exportsOf(resolve(dirname(file), from)).map(({ name }) => ({ name, local: name, from })),
  )
  const given = [...text.matchAll(/^export (?:type )?\{([^}]*)\}(?: from '([^']+)')?/gm)].flatMap(([, list, from]) =>
    listed(list).map(([local, name]) => ({ name, local, from })),
  )
  const own = [...text.matchAll(new RegExp(`^export ${KEYWORDS}(\\w+)`, 'gm'))].map(([, name]) => ({
    name,
    local: name,
    from: undefined,
  }))
  return [...all, ...given, ...own]
}

/** Whether the first declaration of a name, in a file or where that file has it from, follows a docstring. */
function isDocumented(file: string, name: string): boolean {
  const text = readFileSync(file, 'utf8')
  const lines = text.split('\n')
  const declaration = new RegExp(`^(?:export )?${KEYWORDS}${name}\\b`)
  const at = lines.findIndex((line) => declaration.test(line))
  if (at >= 0) return lines[at - 1]?.trimEnd().endsWith('*/') === true
  for (const [, list, from] of text.matchAll(/^(?:import|export)(?: type)? \{([^}]*)\} from '(\.[^']+)'/gm)) {
    const found = listed(list).find(([, known]) => known === name)
    if (found !== undefined) return isDocumented(resolve(dirname(file), from), found[0])
  }
  return false
}

const entries = globSync('{packages,packages/policies}/*/package.json', { cwd: root })
  .sort()
  .flatMap((path) => {
    const manifest = JSON.parse(readFileSync(join(root, path), 'utf8'))
    return Object.entries<any>(manifest.exports)
      .filter(([, target]) => target['@cloister/source']?.startsWith('./src/') === true)
      .map(([entry, target]) => ({
        name: manifest.name + entry.slice(1),
        file: resolve(root, dirname(path), target['@cloister/source']),
      }))
  })

/** Names that other packages of ours publish are documented there. */
const isOurs = ({ from }: Export): boolean => from === undefined || from.startsWith('.')

const missing = entries.flatMap(({ name, file }) =>
  exportsOf(file)
    .filter(isOurs)
    .filter(({ local, from }) => !isDocumented(from === undefined ? file : resolve(dirname(file), from), local))
    .map((each) => `${name} ${each.name}`),
)

test('every published name has a docstring', () => {
  expect(entries.length).toBeGreaterThan(20)
  expect(missing, 'say what it is, with units and errors').toEqual([])
})
