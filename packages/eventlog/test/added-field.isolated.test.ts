// Tests the result of the recipe in CONTRIBUTING: a field and a type of record that only the table names.
import { describe, expect, it, vi } from 'vitest'
import type * as Program from '../src/index.ts'
import { sha256 } from '../src/node/index.ts'
import { concat, sampleHeader, topologies } from './sample-logs.ts'

/**
 * Returns this package with additions to the table of records: field `trial` of allocate, at a given place, and type
 * `trialed`.
 */
async function programWith(place: 'first' | 'last', revision: number): Promise<typeof Program> {
  vi.resetModules()
  vi.doMock(import('../src/records/table.ts'), async (importOriginal) => {
    const { addedBy, natural, optional, required, typeAddedBy } = await import('../src/records/kinds.ts')
    const original = await importOriginal()
    const table = original.recordTable as unknown as Record<string, object>
    const trial = { trial: addedBy(revision, optional(natural)) }
    const { allocate } = original.recordTable
    table['allocate'] = place === 'first' ? { ...trial, ...allocate } : { ...allocate, ...trial }
    table['trialed'] = typeAddedBy(revision, { job: required(natural) })
    return original
  })
  try {
    return await import('../src/index.ts')
  } finally {
    vi.doUnmock('../src/records/table.ts')
  }
}

const end = { submitted: 1, started: 1, finished: 0, rejected: 0, killed: 0, cancelled: 0 }

/** Returns the log of one job, with the fields of `trial` in the allocate. */
function logBy({ LogWriter }: typeof Program, trial: object): Uint8Array {
  const chunks: Array<Uint8Array> = []
  const writer = new LogWriter(sampleHeader({ seal_every: 200 }), topologies[0], (chunk) => chunks.push(chunk), sha256)
  writer.submit(0, { id: 'a', size: 1, estimate: undefined })
  writer.allocate(0, 'a', { nodes: [0], links: [] }, -1, 1, undefined, trial)
  if ('trial' in trial) writer.append({ seq: 0, t: 0, type: 'trialed', job: 1 } as never)
  writer.end(0, end)
  return concat(chunks)
}

function read({ readLog }: typeof Program, bytes: Uint8Array) {
  const reading = readLog([bytes], sha256)
  const records: Array<Program.LogRecord> = []
  for (let next = reading.next(); ; next = reading.next()) {
    if (next.done === true) return { records, outcome: next.value }
    records.push(next.value)
  }
}

function revisionIn(bytes: Uint8Array): number {
  return JSON.parse(new TextDecoder().decode(bytes).split('\n')[0]).revision
}

describe.each(['first', 'last'] as const)(
  'a field of allocate that a revision adds in %s place, and an added type of record',
  (place) => {
    it('are read by the program that wrote both, in a log of the same revision', async () => {
      const program = await programWith(place, 7)
      const bytes = logBy(program, { trial: 3 })
      expect(revisionIn(bytes)).toBe(7)
      const { records, outcome } = read(program, bytes)
      expect(outcome).toMatchObject({ status: 'whole' })
      expect(records).toContainEqual(expect.objectContaining({ type: 'allocate', trial: 3 }))
      expect(records).toContainEqual({ seq: 3, t: 0, type: 'trialed', job: 1 })
    })

    it('are left out by the program without the revision', async () => {
      const bytes = logBy(await programWith(place, 7), { trial: 3 })
      vi.resetModules()
      const { records, outcome } = read(await import('../src/index.ts'), bytes)
      expect(outcome).toMatchObject({ status: 'whole' })
      expect(records[2]).toEqual({ seq: 2, t: 0, type: 'allocate', job: 'a', nodes: '0', cause: 1 })
      expect(records[3]).toEqual({ seq: 3, t: 0, type: 'unknown', name: 'trialed' })
    })

    it('are corrupt in a log that names an earlier revision', async () => {
      const older = logBy(await programWith(place, 6), { trial: 3 })
      const { outcome } = read(await programWith(place, 7), older)
      expect(outcome).toMatchObject({
        status: 'corrupt',
        line: 3,
        reason: expect.stringContaining('the allocate has a field of revision 7, but the header names revision 6'),
      })
    })

    it('do not hinder the reading of older logs', async () => {
      vi.resetModules()
      const older = logBy(await import('../src/index.ts'), {})
      expect(read(await programWith(place, 7), older).outcome).toMatchObject({ status: 'whole' })
    })
  },
)
