import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { type ParquetWriteOptions, parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fixedOffset, loadWorkloadFrom, TraceError, type UtcOffset } from '../src/index.ts'
import { loadTrace, loadWorkload } from '../src/node/index.ts'
import { readParquet } from '../src/parquet.ts'

const duckdb = join(process.env['CLOISTER_DUCKDB'] ?? '', 'node_modules/@duckdb/node-api')

interface DuckDb {
  readonly DuckDBInstance: {
    readonly create: (path: string) => Promise<{ readonly connect: () => Promise<Connection> }>
  }
}

interface Connection {
  readonly run: (sql: string) => Promise<unknown>
  readonly closeSync: () => void
}

const COLUMNS =
  'id=id,submit=at,wait=wait,run=ms/1000,walltime=limit*60,nodes=gpus/8,gpus=gpus,state=state,user=user,queue=queue'

/** Job with the values of the columns; `null` for an unknown value. */
const job = fc.record({
  id: fc.nat(1_000_000),
  /** Milliseconds since 1970, in 2023. */
  at: fc.integer({ min: 1_672_531_200_000, max: 1_704_067_199_999 }),
  wait: fc.option(fc.nat(10_000)),
  ms: fc.nat(10_000_000),
  limit: fc.option(fc.integer({ min: 1, max: 1440 })),
  gpus: fc.integer({ min: 1, max: 4000 }),
  state: fc.constantFrom('COMPLETED', 'FAILED', 'CANCELLED'),
  user: fc.constantFrom('ada', 'bob, jr.', 'c "x"'),
  queue: fc.option(fc.constantFrom('batch', 'debug')),
})
type Row = typeof job extends fc.Arbitrary<infer A> ? A : never

const rows = fc.uniqueArray(job, { minLength: 1, maxLength: 40, selector: ({ id }) => id })

function csvOf(jobs: ReadonlyArray<Row>): Uint8Array {
  const inCsv = (value: string | number | null): string =>
    value === null ? '' : `"${String(value).replaceAll('"', '""')}"`
  const lines = jobs.map((each) =>
    Object.values({ ...each, at: new Date(each.at).toISOString() })
      .map(inCsv)
      .join(),
  )
  return new TextEncoder().encode([Object.keys(jobs[0]).join(), ...lines].join('\n'))
}

/** Returns the same jobs in Parquet. Times are timestamps; the other numbers are 32-bit and 64-bit integers. */
function parquetOf(jobs: ReadonlyArray<Row>, more: Partial<ParquetWriteOptions> = {}): Uint8Array {
  const column = <Name extends keyof Row>(name: Name) => jobs.map((each) => each[name])
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: 'id', data: column('id').map(BigInt), type: 'INT64' },
        { name: 'at', data: column('at').map((at) => new Date(at)), type: 'TIMESTAMP' },
        { name: 'wait', data: column('wait'), type: 'INT32', nullable: true },
        { name: 'ms', data: column('ms'), type: 'DOUBLE' },
        { name: 'limit', data: column('limit'), type: 'INT32', nullable: true },
        { name: 'gpus', data: column('gpus'), type: 'INT32' },
        { name: 'state', data: column('state'), type: 'STRING' },
        { name: 'user', data: column('user'), type: 'STRING' },
        { name: 'queue', data: column('queue'), type: 'STRING', nullable: true },
      ],
      ...more,
    }),
  )
}

async function load(bytes: Uint8Array, columns: string, more: { skipBadLines?: boolean; utcOffset?: UtcOffset } = {}) {
  const isTable = bytes[0] === 0x50
  const table = isTable ? await readParquet(bytes, 'jobs.parquet', columns) : undefined
  const opened = { file: isTable ? 'jobs.parquet' : 'jobs.csv', text: bytes, sha256: '0'.repeat(64) }
  const open = () => ({ ...opened, ...(table && { table }) })
  return loadWorkloadFrom({ open, find: () => expect.unreachable() }, opened.file, { columns, ...more })
}

/** Returns a loaded trace without the names of the file and of the lines. */
async function jobsOf(bytes: Uint8Array, columns = COLUMNS, more = {}): Promise<unknown> {
  const { workload, origin: _origin, ...facts } = await load(bytes, columns, more)
  return { workload, ...facts }
}

describe('a table in Parquet', () => {
  it.each<[string, Partial<ParquetWriteOptions>]>([
    ['uncompressed', { codec: 'UNCOMPRESSED' }],
    ['by Snappy, in groups of three rows', { rowGroupSize: 3 }],
    ['by gzip', { codec: 'GZIP', compressors: { GZIP: (page) => gzipSync(page) } }],
    [
      'by zstd, in small pages',
      { codec: 'ZSTD', compressors: { ZSTD: (page) => zstdCompressSync(page) }, pageSize: 64 },
    ],
  ])('gives the workload of the same rows in CSV (%s)', async (_, options) => {
    await fc.assert(
      fc.asyncProperty(rows, async (jobs) => {
        expect(await jobsOf(parquetOf(jobs, options))).toEqual(await jobsOf(csvOf(jobs)))
      }),
      { numRuns: 30 },
    )
  })

  it.skipIf(!process.env['CLOISTER_DUCKDB'])('of DuckDB gives the workload of the same rows in CSV', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cloister-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const { DuckDBInstance } = createRequire(import.meta.url)(duckdb) as DuckDb
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    const [csv, parquet] = ['jobs.csv', 'jobs.parquet'].map((name) => join(folder, name))
    for (const jobs of fc.sample(rows, 5)) {
      writeFileSync(csv, csvOf(jobs))
      for (const [type, codec] of Object.entries({ TIMESTAMPTZ: 'zstd', TIMESTAMP: 'snappy', TIMESTAMP_NS: 'gzip' })) {
        const query = `SELECT * REPLACE ("at"::${type} AS "at") FROM read_csv('${csv}')`
        await connection.run(`COPY (${query}) TO '${parquet}' (FORMAT parquet, CODEC '${codec}')`)
        expect(await jobsOf(readFileSync(parquet))).toEqual(await jobsOf(csvOf(jobs)))
      }
    }
    connection.closeSync()
  })

  it('is read by loadTrace, and a timestamp without a zone is a time of the option utcOffset', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cloister-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'jobs.parquet')
    const logical_type = { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' } as const
    const int = { type: 'INT32', repetition_type: 'REQUIRED' } as const
    const schema = [
      { name: 'root', num_children: 3 },
      { name: 'at', type: 'INT64', repetition_type: 'REQUIRED', logical_type } as const,
      { name: 's', ...int },
      { name: 'n', ...int },
    ]
    const columnData = [
      { name: 'at', data: [1_672_534_800_250_000n, 1_672_534_801_000_000n] },
      { name: 's', data: [5, 6] },
      { name: 'n', data: [1, 2] },
    ]
    writeFileSync(file, new Uint8Array(parquetWriteBuffer({ columnData, schema })))
    const columns = 'submit=at,run=s,nodes=n'
    const { workload, origin } = await loadTrace(file, { columns, utcOffset: fixedOffset('+01:00') })
    expect(workload).toMatchObject({ name: 'jobs', epoch: 1_672_531_200.25 })
    expect([...workload.jobs].map(({ submit, runTime, size }) => [submit, runTime, size])).toEqual([[0, 5000, 1], [750, 6000, 2]]) // prettier-ignore
    expect(origin.trace.lacks).toEqual(['no column has walltimes, so the estimate of a job is its run time'])
    expect(() => loadWorkload(file)).toThrow('found a table in Parquet, expected the columns of the table')
    expect(() => loadWorkload(file, { columns })).toThrow('readParquet of @cloister/trace-io/parquet')
    await expect(loadTrace(file)).rejects.toThrow(TraceError)
  })
})

describe('an error of a table in Parquet', () => {
  const some = fc.sample(rows, { numRuns: 1, seed: 7 })[0]
  const table = (columns: Record<string, ReadonlyArray<unknown>>): Uint8Array =>
    new Uint8Array(
      parquetWriteBuffer({ columnData: Object.entries(columns).map(([name, data]) => ({ name, data: [...data] })) }),
    )

  it.each([
    [
      'submit=at,run=s,nodes=size',
      { at: [1], s: [2], n: [3] },
      'jobs.parquet: found the columns at, s, n, expected one column "size" for nodes',
    ],
    [
      'submit=at,run=s,nodes=n',
      { at: ['4', 'soon'], s: [2, 2], n: [3, 3] },
      'jobs.parquet, row 2, field at: found "soon", expected a date such as',
    ],
    [
      'submit=a,start=b,end=c,nodes=n',
      { a: [1], b: [5], c: [4], n: [2] },
      'row 1, field c: found "4", expected a time from start (5) on',
    ],
    [
      'submit=at,run=s,nodes=n,id=i',
      { at: [1, 2], s: [2, 2], n: [3, 3], i: [7, 7] },
      'row 2, field job: found 7 again, as on row 1',
    ],
    ['submit=at,run=s,nodes=n', { at: [], s: [], n: [] }, 'found no job, expected a row for each job'],
    ['submit=at,run=s,nodes=n', { at: [1], s: [[2]], n: [3] }, 'row 1, field s: found "[2]", expected seconds'],
    ['size=n', { n: [1] }, 'unknown name "size"'],
  ])('names row and column for the columns %s', async (columns, values, message) => {
    // prettier-ignore
    await expect(load(table(values), columns)).rejects.toThrow(message)
  })

  it.each(['BROTLI', 'LZ4', 'LZ4_RAW'] as const)('names the compression %s and the column', async (codec) => {
    const bytes = parquetOf(some, { codec, compressors: { [codec]: (page: Uint8Array) => page } })
    await expect(load(bytes, COLUMNS)).rejects.toThrow(`found the compression ${codec} of column id, expected one of UNCOMPRESSED, SNAPPY, GZIP, ZSTD; write the file again with ZSTD`) // prettier-ignore
  })

  it('leaves bad rows out with the option skipBadLines', async () => {
    const bytes = table({ at: ['soon', '7'], s: [2, 2], n: [3, 3] })
    const { workload, badLines } = await load(bytes, 'submit=at,run=s,nodes=n', { skipBadLines: true })
    expect([workload.jobs.length, badLines.first[0].message.includes('row 1')]).toEqual([1, true])
  })

  const withRuns = new Uint8Array(
    parquetWriteBuffer({
      codec: 'UNCOMPRESSED',
      columnData: [
        { name: 'at', data: [1, 2, 9], type: 'INT32', encoding: 'DELTA_BINARY_PACKED' },
        { name: 's', data: [2, 2, null], type: 'INT32', nullable: true, encoding: 'RLE_DICTIONARY' },
      ],
    }),
  )

  it('regression: a page with blocks in a negative number of parts kept the reader busy without end', async () => {
    // The page begins with blocks of 128 values in 4 parts, and has 3 values.
    const parts = Buffer.from(withRuns).indexOf(Buffer.from([0x80, 1, 4, 3])) + 2
    const wrong = withRuns.slice()
    wrong.set([0xff, 0xff, 0xff, 0xff, 0x0f], parts)
    await expect(load(wrong, 'submit=at,run=s,nodes=s')).rejects.toThrow('found damaged data (blocks of 128 values in -1 parts)') // prettier-ignore
  })

  it('is a TraceError, or gives jobs, for a file with any other byte', async () => {
    const found: Array<string> = []
    for (let at = 4; at < withRuns.length; at++)
      for (const byte of [0xff, 0x7f, withRuns[at] ^ 1]) {
        const wrong = load(withRuns.with(at, byte), 'submit=at,run=s,nodes=s')
        found.push(await wrong.then(() => 'read', (error) => (error instanceof TraceError ? 'refused' : String(error)))) // prettier-ignore
      }
    expect(new Set(found)).toEqual(new Set(['refused', 'read']))
  })

  it('is a TraceError for a file that is cut, and for a page of negative size', async () => {
    const whole = parquetOf(some)
    for (let length = 4; length < whole.length; length += 7)
      await expect(load(whole.slice(0, length), COLUMNS)).rejects.toThrow(TraceError)
    const small = table({ at: [1], s: [2], n: [3] })
    // The third field of the first page's header is its compressed size, in zigzag encoding: 1 is -1.
    expect([small[8], small[9] < 128]).toEqual([0x15, true])
    await expect(load(small.with(9, 1), 'submit=at,run=s,nodes=n')).rejects.toThrow('found damaged data (a page without size)') // prettier-ignore
  })
})
