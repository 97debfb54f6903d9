import { describe, expect, it } from 'vitest'
import type { Fields } from '../src/records/kinds.ts'
import { REVISION, revisionOf } from '../src/records/revisions.ts'
import { recordTable } from '../src/records/table.ts'

/** For each field an object that has it alone, within the objects that it is in, and the revision that has all of these. */
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

describe('the revision that a header names', () => {
  it.each(fieldsOfHeader)('is the first that has %s', (_, header, revision) => {
    expect(revisionOf(header)).toBe(revision)
  })

  it('is the first of the version where nothing was added, also under names that objects have', () => {
    expect(revisionOf({ toString: {}, queue: { constructor: 1 }, x: { movers: 1 } })).toBe(0)
  })

  it('counts on: each adds something', () => {
    const revisions = new Set(fieldsOfHeader.map(([, , revision]) => revision))
    expect([...revisions].toSorted((a, b) => a - b)).toEqual(Array.from({ length: REVISION + 1 }, (_, at) => at))
  })
})
