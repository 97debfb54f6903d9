import {
  queriedLog,
  queries,
  type Query,
  type QueryColumn,
  type Row,
  rowsOf,
  tableFormats,
  tableOfRows,
} from '@cloister/exports'
import { attempt, isTagged } from '@cloister/run'
import { Files } from '@cloister/run/node'
import { Effect, Option } from 'effect'
import { Argument, Command, Flag } from 'effect/cli'
import { Problem } from '../errors/errors.ts'
import { describeThrown } from '../errors/thrown.ts'
import { writeFiles } from '../export/export-files.ts'
import { formatOf, isTableFormat } from '../export/formats.ts'
import { concludeReading, remarkOnPart, RepeatedReading } from '../log/log-reading.ts'
import { lookUpQuery } from '../policy/query-lookup.ts'
import { print, remark } from '../terminal/output.ts'
import { makeProgress } from '../terminal/progress.ts'
import { bytes, count, counted, durations } from '../terminal/quantities.ts'
import { type Cell, paragraphs, table } from '../terminal/table.ts'
import {
  checkAtLeast,
  forceFlag,
  integerFlag,
  jsonFlag,
  logArgument,
  type Options,
  refuseIf,
  textFlag,
} from './flags.ts'

/** Number of printed rows without `--first`. */
const PRINTED = 20

const flags = {
  log: logArgument,
  name: Argument.String('query').pipe(
    Argument.withDescription('Name of a query, or a file with an own query; default: list them'),
    Argument.optional,
  ),
  first: integerFlag(
    'first',
    'N',
    `Number of rows, default: ${PRINTED}; with --json or --out: all rows\nThe most important row is the first row.`,
  ).pipe(Flag.optional),
  out: textFlag(
    'out',
    'FILE',
    'Write the rows to a file\nThe ending chooses the format: .csv, .ndjson, .parquet, or .arrows for Arrow.',
  ).pipe(Flag.optional),
  force: forceFlag,
  json: jsonFlag,
}

export const query = Command.make('query', flags, (options) => queryLog(options)).pipe(
  Command.withDescription(
    'Answer a named question about a run, as a table\nWithout a query, lists the queries with their questions. A file that exports a query by default adds the query; the document queries.md has the contract.',
  ),
  Command.withExamples([
    { command: 'cloister query run.ndjson', description: 'List the queries' },
    { command: 'cloister query run.ndjson worst-waits', description: 'Show the longest waits' },
    {
      command: 'cloister query run.ndjson who-delayed-whom --out delays.parquet',
      description: 'Write all rows for pandas, R or DuckDB',
    },
    { command: 'cloister query run.ndjson ./my-query.ts --first 5', description: 'Ask an own query' },
  ]),
)

const queryLog = Effect.fn(function* ({ log, name, first, out, force, json }: Options<typeof flags>) {
  yield* checkAtLeast(
    'first',
    Option.getOrElse(first, () => 1),
    1,
  )
  yield* refuseIf(Option.isNone(name) && (Option.isSome(first) || Option.isSome(out)), '--first and --out need a query')
  yield* refuseIf(force && Option.isNone(out), '--force needs --out')
  if (Option.isNone(name)) return yield* listQueries(json)
  const { query: asked, origin } = yield* lookUpQuery(name.value)
  const format = Option.isNone(out) ? undefined : yield* attempt(() => formatOf(out.value))
  yield* refuseIf(
    format !== undefined && !isTableFormat(format),
    `--out ${Option.getOrElse(out, () => '')}: expected a file of a table: .csv, .ndjson, .parquet or .arrows`,
  )
  const reading = new RepeatedReading(log, yield* makeProgress)
  const isPrinted = !json && Option.isNone(out)
  const most = Option.getOrElse(first, () => (isPrinted ? PRINTED : Infinity))
  const { rows, more, ofPart } = yield* attempt(() => answerOf(asked, origin, reading, most))
  const columns = asked.columns
  if (format !== undefined && isTableFormat(format) && Option.isSome(out)) {
    const disk = yield* Files
    const files = [{ name: '', pieces: tableFormats[format](tableOfRows(asked, rows)) }]
    const [written] = yield* attempt(() => writeFiles(disk, files, out.value, { force, inputs: [log] }))
    yield* print(
      'query',
      json,
      { query: asked.name, columns, ...written, rows: rows.length },
      () => `${written.file}, ${counted(rows.length, 'row')}, ${bytes(written.bytes)}`,
    )
  } else
    yield* print('query', json, { query: asked.name, columns, rows, more }, () =>
      paragraphs([
        rows.length === 0 ? 'the answer has no rows' : table(columns.map(headingOf), rowsInWords(columns, rows)),
        more ? `${counted(rows.length, 'row')} shown; --first N prints more rows` : undefined,
      ]),
    )
  if (ofPart !== undefined) yield* remark(ofPart)
  yield* concludeReading([reading])
})

const listQueries = (json: boolean): Effect.Effect<void> =>
  print(
    'query',
    json,
    { queries: queries.map(({ name, description, columns }) => ({ name, description, columns })) },
    () =>
      table(
        ['query', 'question'],
        queries.map(({ name, description }) => [name, description]),
      ),
  )

interface Answer {
  readonly rows: ReadonlyArray<Row>
  /** True if the query has more rows. */
  readonly more: boolean
  /** Remark on a log of a part of a run. */
  readonly ofPart: string | undefined
}

/** Returns the first `most` rows of a query. @throws Problem if an own query throws */
function answerOf(asked: Query, origin: string | undefined, reading: RepeatedReading, most: number): Answer {
  let ofPart: string | undefined
  const log = queriedLog(function* () {
    for (const record of reading.records()) {
      if (record.type === 'header') ofPart = remarkOnPart(reading.path, record)
      yield record
    }
  })
  const rows: Array<Row> = []
  try {
    for (const row of rowsOf(asked, log)) {
      if (rows.length >= most) return { rows, more: true, ofPart }
      rows.push(row)
    }
  } catch (error) {
    if (origin === undefined || isTagged(error)) throw error
    throw new Problem(`query ${asked.name} (${origin}) failed: ${describeThrown(error)}`, origin)
  }
  return { rows, more: false, ofPart }
}

/** Unit of node-time in tables of rows, and its length in s. */
const NODE_HOUR = 3600

function headingOf({ name, unit }: QueryColumn): string {
  return `${name.replaceAll('_', ' ')}${unit === 'node·s' ? ' (node-h)' : ''}`
}

function rowsInWords(
  columns: ReadonlyArray<QueryColumn>,
  rows: ReadonlyArray<Row>,
): ReadonlyArray<ReadonlyArray<Cell>> {
  const cells = columns.map((column) =>
    cellsOf(
      column,
      rows.map((row) => row[column.name]),
    ),
  )
  return rows.map((_, at) => cells.map((ofColumn) => ofColumn[at]))
}

/** Returns the values of a column for users. Lengths of time of a column have one unit, and times are in s. */
function cellsOf({ unit, mark }: QueryColumn, values: ReadonlyArray<Row[string]>): ReadonlyArray<Cell> {
  if (unit === 's' && mark === undefined) return durations(values as ReadonlyArray<number | null>)
  return values.map((value) => {
    if (typeof value === 'boolean') return value ? 'yes' : 'no'
    if (typeof value !== 'number') return value ?? '-'
    if (unit === 'node·s') return (value / NODE_HOUR).toFixed(2)
    return mark === undefined || unit === 's'
      ? `${count(Math.round(value * 1000) / 1000)}${unit === 's' ? ' s' : ''}`
      : value
  })
}
