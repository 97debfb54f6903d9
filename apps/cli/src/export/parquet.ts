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

/** A table: a line of JSON each row, and DuckDB's type of each column. */
export interface ParquetTable {
  readonly rows: Iterable<string>
  readonly columns: Readonly<Record<string, string>>
}

/** Writes the jobs of a log as a Parquet table. */
export function writeParquet(reading: RepeatedReading, out: string, rule: OutputRule, limit: OutputLimit) {
  const rows = limit.within(jobRows(limit.counted(reading.records())))
  return writeParquetTable({ rows, columns: jobColumns }, out, rule, '--to parquet')
}

/** Writes a Parquet table, by way of DuckDB. @param option that asked for it, for errors */
export const writeParquetTable = Effect.fnUntraced(function* (
  { rows, columns }: ParquetTable,
  out: string,
  rule: OutputRule,
  option: string,
) {
  const disk = yield* Files
  yield* attempt(() => checkOutput(disk, out, rule))
  const duckdb = (yield* (yield* PolicyLookup).importModule(DUCKDB)) as DuckDb | undefined
  if (duckdb === undefined) {
    return yield* new MissingPackageError({ need: `${option} needs DuckDB`, specifier: DUCKDB })
  }
  const folder = yield* Effect.acquireRelease(
    attempt(() => disk.makeTemporaryFolder('parquet')),
    (made) => Effect.sync(() => disk.removeFolder(made)),
  )
  const written = [{ name: 'rows.ndjson', pieces: rows }]
  const [{ file }] = yield* attempt(() => writeFiles(disk, written, folder, { force: false, inputs: [] }))
  const table = yield* Effect.acquireRelease(
    attempt(() => disk.create(out, rule.force ? 'overwrite' : 'refuse')),
    (begun) => Effect.sync(() => begun.discard()),
  )
  yield* convert(
    duckdb,
    columns,
    file,
    table.temporary,
    (cause) => new ConversionError({ option, program: 'DuckDB', path: out, cause }),
  )
  return yield* attempt((): ReadonlyArray<Written> => [{ file: out, bytes: table.commit() }])
}, Effect.scoped)

const convert = Effect.fnUntraced(function* (
  { DuckDBInstance }: DuckDb,
  columns: ParquetTable['columns'],
  file: string,
  temporary: string,
  failed: (cause: unknown) => ConversionError,
) {
  const types = Object.entries(columns)
    .map(([name, type]) => `${sql(name)}: '${type}'`)
    .join(', ')
  yield* Effect.tryPromise({
    try: async () => {
      const instance = await DuckDBInstance.create(':memory:')
      const connection = await instance.connect()
      await connection.run(
        `COPY (SELECT * FROM read_json(${sql(file)}, format = 'newline_delimited', columns = {${types}}, maximum_object_size = 67108864)) TO ${sql(resolve(temporary))} (FORMAT parquet, COMPRESSION zstd)`,
      )
      connection.closeSync()
      instance.closeSync()
    },
    catch: failed,
  })
})

function sql(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
