import { columnsOfRows, jobRows } from '@cloister/exports'
import { attempt, Files } from '@cloister/run/node'
import { Effect } from 'effect'
import { join, resolve } from 'node:path'
import { Problem } from '../errors/errors.ts'
import { checkOutput, type OutputRule } from '../files/outputs.ts'
import type { RepeatedReading } from '../log/log-reading.ts'
import { importOptional } from '../policy/policy-lookup.ts'
import { untilSignal } from '../terminal/signals.ts'
import { type Chunk, nextChunk, type OutputLimit, type Written } from './export-files.ts'

/** Package that writes Parquet. Users of Parquet install DuckDB themselves, because DuckDB is large. */
const DUCKDB = '@duckdb/node-api'

interface DuckDb {
  readonly DuckDBInstance: {
    readonly create: (
      path: string,
    ) => Promise<{ readonly connect: () => Promise<Connection>; readonly closeSync: () => void }>
  }
}

interface Connection {
  readonly run: (sql: string) => Promise<unknown>
  readonly interrupt: () => void
  readonly closeSync: () => void
}

/** Table with one line of JSON for each row, and the type of DuckDB for each column. */
export interface ParquetTable {
  readonly rows: Iterable<string>
  /** Returns the columns of the table by its first row; the row is empty if the table has no rows. */
  readonly columnsOf: (first: string) => Columns
}

type Columns = Readonly<Record<string, string>>

/** Writes the jobs of a log as a Parquet file. */
export function writeParquet(reading: RepeatedReading, out: string, rule: OutputRule, limit: OutputLimit) {
  const rows = limit.within(jobRows(limit.counted(reading.records())))
  return writeParquetTable({ rows, columnsOf: columnsOfRows }, out, rule, '--to parquet')
}

/** Writes a table as a Parquet file by DuckDB. @param option option that requests the file, for messages */
export const writeParquetTable = Effect.fnUntraced(function* (
  { rows, columnsOf }: ParquetTable,
  out: string,
  rule: OutputRule,
  option: string,
) {
  const disk = yield* Files
  yield* attempt(() => checkOutput(disk, out, rule))
  const duckdb = yield* importOptional<DuckDb>(DUCKDB, `${option} needs DuckDB`)
  const left = yield* Effect.acquireRelease(
    Effect.sync(() => rows[Symbol.iterator]()),
    (iterator) => Effect.sync(() => void iterator.return?.()),
  )
  // Taking the first rows may read the whole log. Until here no file exists, so a signal may end the program at once.
  const first = yield* attempt(() => nextChunk(left))
  const failed = (cause: unknown) =>
    new Problem(`${option}: DuckDB could not write ${out}: ${cause instanceof Error ? cause.message : String(cause)}`)
  return yield* untilSignal(
    writeTable(duckdb, columnsOf(first.text.split('\n', 1)[0]), [first, left], out, rule, failed),
  )
}, Effect.scoped)

const writeTable = Effect.fnUntraced(function* (
  duckdb: DuckDb,
  columns: Columns,
  rows: readonly [Chunk, Iterator<string>],
  out: string,
  rule: OutputRule,
  failed: (cause: unknown) => Problem,
) {
  const disk = yield* Files
  const folder = yield* Effect.acquireRelease(
    attempt(() => disk.makeTemporaryFolder('parquet')),
    (made) => Effect.sync(() => disk.removeFolder(made)),
  )
  const file = join(folder, 'rows.ndjson')
  yield* writeRows(disk, file, rows)
  const table = yield* Effect.acquireRelease(
    attempt(() => disk.create(out, rule.force ? 'overwrite' : 'refuse')),
    (begun) => Effect.sync(() => begun.discard()),
  )
  yield* convert(duckdb, columns, file, table.temporary, failed)
  return yield* attempt((): ReadonlyArray<Written> => [{ file: out, bytes: table.commit() }])
}, Effect.scoped)

const convert = Effect.fnUntraced(function* (
  { DuckDBInstance }: DuckDb,
  columns: Columns,
  file: string,
  temporary: string,
  failed: (cause: unknown) => Problem,
) {
  const types = Object.entries(columns)
    .map(([name, type]) => `${sql(name)}: '${type}'`)
    .join(', ')
  const copy = `COPY (SELECT * FROM read_json(${sql(file)}, format = 'newline_delimited', columns = {${types}}, maximum_object_size = 67108864)) TO ${sql(resolve(temporary))} (FORMAT parquet, COMPRESSION zstd)`
  const ask = <A>(request: () => Promise<A>) => Effect.tryPromise({ try: request, catch: failed })
  yield* Effect.acquireUseRelease(
    ask(async () => {
      const instance = await DuckDBInstance.create(':memory:')
      return { instance, connection: await instance.connect() }
    }),
    ({ connection }) => untilItEnds(connection, copy, failed),
    ({ connection, instance }) =>
      Effect.sync(() => {
        connection.closeSync()
        instance.closeSync()
      }),
  )
})

/** An interrupt of the effect ends the command of DuckDB, and waits until DuckDB has closed the files. */
function untilItEnds(
  connection: Connection,
  command: string,
  failed: (cause: unknown) => Problem,
): Effect.Effect<void, Problem> {
  return Effect.callback((resume) => {
    const ended = connection.run(command).then(
      () => resume(Effect.void),
      (cause: unknown) => resume(Effect.fail(failed(cause))),
    )
    return Effect.promise(() => {
      connection.interrupt()
      return ended
    })
  })
}

/** Writes rows into a file in pieces, so that the program can handle signals between two pieces. */
const writeRows = Effect.fnUntraced(function* (
  disk: Files['Service'],
  path: string,
  [first, left]: readonly [Chunk, Iterator<string>],
) {
  const file = yield* Effect.acquireRelease(
    attempt(() => disk.create(path, 'refuse')),
    (begun) => Effect.sync(() => begun.discard()),
  )
  let chunk = first
  const writeSome = attempt(() => {
    file.write(chunk.text)
    const { isLast } = chunk
    if (!isLast) chunk = nextChunk(left)
    return isLast
  })
  yield* writeSome.pipe(Effect.tap(Effect.yieldNow), Effect.repeat({ until: (isLast) => isLast }))
  yield* attempt(() => file.commit())
}, Effect.scoped)

function sql(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
