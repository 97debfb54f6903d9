import { resolve } from 'node:path'
import { jobColumns, jobRows } from '@cloister/exports'
import { Effect } from 'effect'
import { type Written, writeFiles } from './export-files.ts'
import type { OutputLimit } from './output-limit.ts'
import { Files } from '../files/files.ts'
import { checkOutput, type OutputRule } from '../files/outputs.ts'
import type { RepeatedReading } from '../log/log-reading.ts'
import { PolicyLookup } from '../policy/policy-lookup.ts'
import { ConversionError, MissingPackageError } from '../errors/errors.ts'
import { attempt } from '../errors/attempt.ts'

/** Too large to come with everybody's install: whoever wants Parquet adds it. */
const DUCKDB = '@duckdb/node-api'

interface DuckDb {
  readonly DuckDBInstance: {
    readonly create: (
      path: string,
    ) => Promise<{
      readonly connect: () => Promise<{
        readonly run: (sql: string) => Promise<unknown>
        readonly closeSync: () => void
      }>
      readonly closeSync: () => void
    }>
  }
}

/** Writes the jobs of a log as a Parquet table, by way of DuckDB. */
export const writeParquet = Effect.fnUntraced(function* (
  reading: RepeatedReading,
  out: string,
  rule: OutputRule,
  limit: OutputLimit,
) {
  const disk = yield* Files
  yield* attempt(() => checkOutput(disk, out, rule))
  const duckdb = (yield* (yield* PolicyLookup).importModule(DUCKDB)) as DuckDb | undefined
  if (duckdb === undefined) {
    return yield* new MissingPackageError({ need: '--to parquet needs DuckDB', specifier: DUCKDB })
  }
  const folder = yield* Effect.acquireRelease(
    attempt(() => disk.makeTemporaryFolder('parquet')),
    (made) => Effect.sync(() => disk.removeFolder(made)),
  )
  const rows = [{ name: 'jobs.ndjson', pieces: limit.within(jobRows(limit.counted(reading.records()))) }]
  const [{ file }] = yield* attempt(() => writeFiles(disk, rows, folder, { force: false, inputs: [] }))
  const table = yield* Effect.acquireRelease(
    attempt(() => disk.create(out, rule.force ? 'overwrite' : 'refuse')),
    (begun) => Effect.sync(() => begun.discard()),
  )
  yield* convert(duckdb, file, table.temporary, out)
  return yield* attempt((): ReadonlyArray<Written> => [{ file: out, bytes: table.commit() }])
}, Effect.scoped)

/** @param out what the file is called in errors */
const convert = Effect.fnUntraced(function* ({ DuckDBInstance }: DuckDb, file: string, temporary: string, out: string) {
  yield* Effect.tryPromise({
    try: async () => {
      const instance = await DuckDBInstance.create(':memory:')
      const connection = await instance.connect()
      await connection.run(
        `COPY (SELECT * FROM read_json(${sql(file)}, format = 'newline_delimited', columns = {${columns}}, maximum_object_size = 67108864)) TO ${sql(resolve(temporary))} (FORMAT parquet, COMPRESSION zstd)`,
      )
      connection.closeSync()
      instance.closeSync()
    },
    catch: (error) => new ConversionError({ option: '--to parquet', program: 'DuckDB', path: out, cause: error }),
  })
})

const columns = Object.entries(jobColumns)
  .map(([name, type]) => `'${name}': '${type}'`)
  .join(', ')

function sql(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
