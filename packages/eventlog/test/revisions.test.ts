import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Fields } from '../src/records/kinds.ts'
import { REVISION, revisionOfLog } from '../src/records/versions.ts'
import { recordTable } from '../src/records/table.ts'

/**
 * Digest of the fields of version 3 before its release. Later fields are written with `addedBy`, later types with
 * `typeAddedBy`.
 */
const OF_THE_FIRST = 'efdaca337be7860e75d9c73681261dfd468bb6d715631cb267331ebbbbf94362'

/**
 * Yields, for each field, an object with this field alone, nested as in the table, and the revision that has all of the
 * fields.
 */
function* lone(fields: Fields, path = '', revision = 0): Generator<[name: string, object: object, revision: number]> {
  for (const [name, { kind, since }] of Object.entries(fields)) {
    const all = Math.max(revision, since)
    yield [`${path}${name}`, { [name]: kind.fields === undefined ? 0 : {} }, all]
    for (const [inner, object, of] of lone(kind.fields ?? {}, `${path}${name}.`, all)) {
      yield [inner, { [name]: kind.name.startsWith('list') ? [{}, object] : object }, of]
    }
  }
}

const fieldsOfHeader = [...lone(recordTable.header)]
const { header: _, ...otherTypes } = recordTable
const revisionsOfOthers = Object.values(otherTypes).flatMap((fields) =>
  [...lone(fields)].map(([, , revision]) => revision),
)

describe('revisionOfLog', () => {
  it.each(fieldsOfHeader)(
    'revisionOfLog returns the first revision with the header field %s and all fields of other types',
    (_name, header, revision) => {
      expect(revisionOfLog(header)).toBe(Math.max(revision, ...revisionsOfOthers))
    },
  )

  it('revisionOfLog ignores names that every JavaScript object has, and members of the header field x', () => {
    const header = { toString: {}, options: { constructor: 1 }, x: { seed: 1 } }
    expect(revisionOfLog(header)).toBe(Math.max(...revisionsOfOthers))
  })

  it('the fields of revision 0 are the fields of version 3 at its release', () => {
    const names = Object.entries(recordTable).flatMap(([type, fields]) =>
      [...lone(fields)].flatMap(([name, , revision]) => (revision === 0 ? [`${type} ${name}`] : [])),
    )
    const digest = createHash('sha256').update(names.toSorted().join('\n')).digest('hex')
    expect(digest, 'a field was added without addedBy, or a field of the first is gone').toBe(OF_THE_FIRST)
  })

  it('each revision up to REVISION adds a field or a type of record', () => {
    const revisions = new Set([...fieldsOfHeader.map(([, , revision]) => revision), ...revisionsOfOthers])
    expect([...revisions].toSorted((a, b) => a - b)).toEqual(Array.from({ length: REVISION + 1 }, (_, at) => at))
  })
})
