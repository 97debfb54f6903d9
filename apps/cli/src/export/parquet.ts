import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { jobColumns, jobRows } from '@cloister/exports'
import { Effect } from 'effect'
import { type Written, refuseToOverwrite, writeFiles } from './export-files.ts'
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
export const writeParquet = Effect.fnUntraced(function* (reading: RepeatedReading, out: string, force: boolean) {
  yield* attempt(() => refuseToOverwrite(out, force))
  const duckdb = (yield* (yield* PolicyLookup).importModule(DUCKDB)) as DuckDb | undefined
  if (duckdb === undefined) {
    return yield* new MissingPackageError({ need: '--to parquet needs DuckDB', specifier: DUCKDB })
  }
  const folder = yield* attempt(() => mkdtempSync(join(tmpdir(), 'cloister-parquet-')))
  return yield* Effect.ensuring(
    convert(duckdb, reading, folder, out),
    Effect.sync(() => rmSync(folder, { recursive: true, force: true })),
  )
})

const convert = Effect.fnUntraced(function* (
  { DuckDBInstance }: DuckDb,
  reading: RepeatedReading,
  folder: string,
  out: string,
) {
  const [{ file }] = yield* attempt(() =>
    writeFiles([{ name: 'jobs.ndjson', pieces: jobRows(reading.records()) }], folder, true),
  )
  yield* Effect.tryPromise({
    try: async () => {
      const instance = await DuckDBInstance.create(':memory:')
      const connection = await instance.connect()
      await connection.run(
        `COPY (SELECT * FROM read_json(${sql(file)}, format = 'newline_delimited', columns = {${columns}}, maximum_object_size = 67108864)) TO ${sql(resolve(out))} (FORMAT parquet, COMPRESSION zstd)`,
      )
      connection.closeSync()
      instance.closeSync()
    },
    catch: (error) => new ConversionError({ option: '--to parquet', program: 'DuckDB', path: out, cause: error }),
  })
  return yield* attempt((): ReadonlyArray<Written> => [{ file: out, bytes: statSync(out).size }])
})

const columns = Object.entries(jobColumns)
  .map(([name, type]) => `'${name}': '${type}'`)
  .join(', ')

function sql(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
