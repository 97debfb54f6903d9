// Every published name of a library has a docstring.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { type Export, exportsOf, isDocstring, linesBefore } from '../public-names.ts'

const root = resolve(import.meta.dirname, '../../..')

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

/** Returns true for a name that the package declares, and not only re-exports. */
const isOurs = ({ from }: Export): boolean => from === undefined || from.startsWith('.')

const missing = entries.flatMap(({ name, file }) =>
  exportsOf(file)
    .filter(isOurs)
    .filter(
      ({ local, from }) => !isDocstring(linesBefore(from === undefined ? file : resolve(dirname(file), from), local)),
    )
    .map((each) => `${name} ${each.name}`),
)

test('every published name of a library has a docstring', () => {
  expect(entries.length).toBeGreaterThan(20)
  expect(missing, 'write a docstring, with units and errors').toEqual([])
})
