// Tests the result of the recipe in CONTRIBUTING: a field and a type of record that only the table names.
import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import type * as Program from '../src/index.ts'
import { sha256 } from '../src/node/index.ts'
import type { RecordType } from '../src/records/table.ts'
import { concat } from './sample-logs.ts'

/** Golden logs that together have every type of record. */
const sources = ['every-record', 'observed', 'after-a-fault'].map((name) => {
  const path = `golden/3/${name === 'after-a-fault' ? 'warn' : 'valid'}/${name}.ndjson`
  const lines = readFileSync(new URL(path, import.meta.url), 'utf8')
    .trim()
    .split('\n')
  return lines.map((line) => JSON.parse(line) as Program.LogRecord)
})
const types = [...new Set(sources.flat().map(({ type }) => type as RecordType))].filter((type) => type !== 'seal')

/** Change of the table of records: an optional field `trial` of a type, and a type `trialed`. */
interface Addition {
  readonly type: RecordType
  readonly place: 'first' | 'last'
  readonly revision: number
  /** Feature of the field and the type; absent if a reader may ignore both. */
  readonly feature?: string
}

/** Returns this package with an addition to the table of records. */
async function programWith({ type, place, revision, feature }: Addition): Promise<typeof Program> {
  vi.resetModules()
  vi.doMock(import('../src/records/table.ts'), async (importOriginal) => {
    const kinds = await import('../src/records/kinds.ts')
    const { addedBy, mustBeKnown, natural, optional, required, typeAddedBy, typeMustBeKnown } = kinds
    const original = await importOriginal()
    const table = original.recordTable as unknown as Record<string, object>
    const added = addedBy(revision, optional(natural))
    const trial = { trial: feature === undefined ? added : mustBeKnown(feature, added) }
    table[type] = place === 'first' ? { ...trial, ...table[type] } : { ...table[type], ...trial }
    const trialed = typeAddedBy(revision, { job: required(natural) })
    table['trialed'] = feature === undefined ? trialed : typeMustBeKnown(feature, trialed)
    return original
  })
  try {
    return await import('../src/index.ts')
  } finally {
    vi.doUnmock('../src/records/table.ts')
  }
}

async function presentProgram(): Promise<typeof Program> {
  vi.resetModules()
  return import('../src/index.ts')
}

/**
 * Returns the bytes of a golden log with a record of `type`, as the program writes the records again. The first record
 * of `type` has the field `trial`, and a record `trialed` follows the header.
 */
function logBy({ LogWriter, headerTopology }: typeof Program, { type, feature }: Addition, isUsed = true): Uint8Array {
  const records = sources.find((log) => log.some((record) => record.type === type))!
  const [header, ...others] = withTrial(records, isUsed ? type : undefined) as [
    Program.Header,
    ...Array<Program.LogRecord>,
  ]
  const { revision: _, ...described } = header
  const requires = isUsed && feature !== undefined ? [...(header.requires ?? []), feature].sort() : header.requires
  const chunks: Array<Uint8Array> = []
  const writer = new LogWriter(
    { ...described, ...(requires && { requires }) },
    headerTopology(header),
    (chunk) => chunks.push(chunk),
    sha256,
    { chunks: 'record' },
  )
  if (isUsed) writer.append({ seq: 0, t: 0, type: 'trialed', job: 1 } as never)
  for (const record of others)
    if (record.type !== 'seal' && record.type !== 'header' && record.type !== 'unknown') writer.append(record)
  return concat(chunks)
}

function withTrial(
  records: ReadonlyArray<Program.LogRecord>,
  type: RecordType | undefined,
): ReadonlyArray<Program.LogRecord> {
  const at = records.findIndex((record) => record.type === type)
  return records.map((record, index) => (index === at ? ({ ...record, trial: 3 } as never) : record))
}

function read({ readLog }: typeof Program, bytes: Uint8Array) {
  const reading = readLog([bytes], sha256)
  const records: Array<Program.LogRecord> = []
  for (let next = reading.next(); ; next = reading.next()) {
    if (next.done === true) return { records, outcome: next.value }
    records.push(next.value)
  }
}

const withoutSeals = (records: ReadonlyArray<Program.LogRecord>): ReadonlyArray<object> =>
  records.flatMap(({ seq: _seq, ...record }) => (record.type === 'seal' ? [] : [record]))

it('the golden logs have an example of every type of record', async () => {
  const { recordTable } = await import('../src/records/table.ts')
  expect(types.toSorted()).toEqual(
    Object.keys(recordTable)
      .filter((type) => type !== 'seal')
      .toSorted(),
  )
})

const additions: ReadonlyArray<Addition> = [
  { type: 'allocate', place: 'first', revision: 1007 },
  ...types.map((type) => ({ type, place: 'last' as const, revision: 1007 })),
]

describe.each(additions)(
  'an optional field that a revision adds as the $place field of the type $type, and an added type of record',
  (addition) => {
    const { type } = addition

    it('an added field and an added type are read by the program that has both, in a log of the same revision', async () => {
      const program = await programWith(addition)
      const { records, outcome } = read(program, logBy(program, addition))
      expect(outcome.status).not.toBe('corrupt')
      expect(records[0]).toMatchObject({ revision: 1007 })
      expect(records).toContainEqual(expect.objectContaining({ type, trial: 3 }))
      expect(records).toContainEqual({ seq: 1, t: 0, type: 'trialed', job: 1 })
    })

    it('an added field and the content of an added type are left out by a program of an earlier revision', async () => {
      const bytes = logBy(await programWith(addition), addition)
      const present = await presentProgram()
      const { records, outcome } = read(present, bytes)
      expect(outcome.status).not.toBe('corrupt')
      expect(records[1]).toEqual({ seq: 1, t: 0, type: 'unknown', name: 'trialed' })
      const [, , ...others] = withoutSeals(records)
      const plain = withoutSeals(read(present, logBy(present, addition, false)).records)
      expect(others).toEqual(plain.slice(1))
    })

    it('an added field and an added type are refused by a LogWriter that continues a log of an earlier revision', async () => {
      const program = await programWith(addition)
      const chunks: Array<Uint8Array> = []
      const [found] = sources.find((log) => log.some((record) => record.type === type))! as [Program.Header]
      const topology = program.headerTopology(found)
      const writer = new program.LogWriter(found, topology, (chunk) => chunks.push(chunk), sha256, { chunks: 'record' })
      expect(JSON.parse(Buffer.from(concat(chunks)).toString())).toMatchObject({ revision: found.revision })
      expect(() => writer.append({ seq: 0, t: 0, type: 'trialed', job: 1 } as never)).toThrow('of revision 1007')
    })

    it('a log is corrupt if it has an added field or type, and its header names an earlier revision', async () => {
      const older = logBy(await programWith({ ...addition, revision: 1006 }), addition)
      const { outcome } = read(await programWith(addition), older)
      expect(outcome).toMatchObject({
        status: 'corrupt',
        reason: expect.stringMatching(/has a field of revision 1007, but the header names revision 1006/),
      })
    })

    it('a program with an added field and an added type reads older logs', async () => {
      const older = logBy(await presentProgram(), addition, false)
      expect(read(await programWith(addition), older).outcome.status).not.toBe('corrupt')
    })

    it('a log that requires a feature is refused by a program without the feature, with the name of the feature', async () => {
      const known = { ...addition, feature: 'trials' }
      const program = await programWith(known)
      const bytes = logBy(program, known)
      expect(read(program, bytes).records).toContainEqual(expect.objectContaining({ type, trial: 3 }))
      expect(read(await presentProgram(), bytes).outcome).toMatchObject({
        status: 'corrupt',
        reason: expect.stringContaining('the log requires the feature "trials", which this program does not know'),
      })
      const unused = logBy(program, known, false)
      expect(read(await presentProgram(), unused).outcome.status).not.toBe('corrupt')
    })

    it('a log of a later revision is corrupt if it has a field or type with a feature that its header does not require', async () => {
      const careless = logBy(await programWith({ ...addition, revision: 1008 }), { ...addition, revision: 1008 })
      const strict = await programWith({ ...addition, feature: 'trials' })
      expect(read(strict, careless).outcome).toMatchObject({
        status: 'corrupt',
        reason: expect.stringContaining('of the feature trials, but the header does not require trials'),
      })
    })

    it('a log is corrupt if it has a field or type with a feature that its header does not require', async () => {
      const careless = logBy(await programWith(addition), addition)
      const strict = await programWith({ ...addition, feature: 'trials' })
      expect(read(strict, careless).outcome).toMatchObject({
        status: 'corrupt',
        reason: expect.stringContaining('has a field of the feature trials, but the header does not require trials'),
      })
    })
  },
)
