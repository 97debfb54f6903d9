import { gzipSync } from 'node:zlib'
import { extractWindow, type LogRecord } from '@cloister/eventlog'
import { openLogFile, sha256 } from '@cloister/eventlog/node'
import {
  batsimJobs,
  batsimSchedule,
  chromeTrace,
  paje,
  sacctOfLog,
  swfOfLog,
  type TableFormat,
  tableFormatNames,
  tableFormats,
  type TableName,
  tables,
} from '@cloister/exports'
import { embeddedIds, embeddedNotesId, type Note } from '@cloister/viewer'
import { Problem } from '../errors/errors.ts'
import { bytes } from '../terminal/quantities.ts'
import type { Piece } from './export-files.ts'

/** Formats of `cloister export --to`. `opensm` has the machine at one moment; every other format has a run. */
export const exportFormats = [
  'html',
  'chrome',
  'batsim',
  'swf',
  'sacct',
  'paje',
  ...tableFormatNames,
  'opensm',
] as const

export type ExportFormat = (typeof exportFormats)[number]

/** Formats by the ending of the output file, for a command line without `--to`. */
const endings: Readonly<Record<string, ExportFormat>> = {
  csv: 'csv',
  ndjson: 'ndjson',
  parquet: 'parquet',
  arrows: 'arrow',
  html: 'html',
  swf: 'swf',
  paje: 'paje',
}

/** Returns the format of an output file by the ending of its name. @throws Problem if no format has the ending */
export function formatOf(out: string): ExportFormat {
  const format = endings[/\.([a-z]+)$/.exec(out)?.[1] ?? '']
  if (format !== undefined) return format
  const allowed = Object.keys(endings).map((ending) => `.${ending}`)
  throw new Problem(
    `--out ${out}: the name has no ending of a format (${allowed.join(', ')}); --to FORMAT names the format`,
  )
}

/** A file in pieces. A file with an empty name gets the path of `--out`. */
interface RunFile {
  readonly name: string
  readonly pieces: (records: Iterable<LogRecord>) => Iterable<Piece>
}

/** Files of each format of `cloister export` for a whole run, except the formats of tables. */
export const runFormats: Readonly<
  Record<Exclude<ExportFormat, 'html' | 'opensm' | TableFormat>, ReadonlyArray<RunFile>>
> = {
  chrome: [{ name: '', pieces: chromeTrace }],
  paje: [{ name: '', pieces: paje }],
  swf: [{ name: '', pieces: swfOfLog }],
  sacct: [{ name: '', pieces: sacctOfLog }],
  batsim: [
    { name: 'jobs.csv', pieces: batsimJobs },
    { name: 'schedule.csv', pieces: batsimSchedule },
  ],
}

/** Returns true for a format of tables. */
export function isTableFormat(format: ExportFormat): format is TableFormat {
  return (tableFormatNames as ReadonlyArray<string>).includes(format)
}

/** Returns the file with a table of a log. */
export function tableFile(name: TableName, format: TableFormat): RunFile {
  const { columns, batches } = tables[name]
  return { name: '', pieces: (records) => tableFormats[format]({ columns, batches: batches(records) }) }
}

/** Largest number of bytes of a log in a page, because a browser keeps all bytes in memory. */
const LIMIT = 2 ** 26

/** Part of a run on the page: first and last time, in seconds. */
export interface Part {
  readonly from: number
  readonly until: number
}

/**
 * Returns the pieces of the viewer's page with a log, or a part of a log, inside. The page needs no server and no
 * further files. @throws Problem if the log is larger than a page can hold
 */
export function* htmlOf(
  page: string,
  path: string,
  records: () => Iterable<LogRecord>,
  part: Part | undefined,
  notes: ReadonlyArray<Note>,
): Generator<string, void> {
  const chunks: Array<Uint8Array> = []
  let length = 0
  const take = (chunk: Uint8Array): void => {
    chunks.push(chunk)
    length += chunk.length
    if (length > LIMIT)
      throw new Problem(
        `${path}: the log is larger than ${bytes(LIMIT)}, the most that a page can hold; --from and --until export a part of the run`,
      )
  }
  if (part === undefined) {
    // The page contains the log unchanged. This loop reads all records, to refuse a corrupt and report a torn log.
    for (const _ of records());
    for (const chunk of openLogFile(path)) take(chunk)
  } else extractWindow(records, part.from, part.until, take, sha256)
  const [before, after] = page.split('<!--logs-->')
  yield before
  yield `<script type="application/octet-stream" id="${embeddedIds.a}">${gzipSync(Buffer.concat(chunks), { level: 9 }).toString('base64')}</script>`
  // Without the escaping, a note with `</script>` would end the element.
  if (notes.length > 0)
    yield `<script type="application/json" id="${embeddedNotesId}">${JSON.stringify(notes).replaceAll('<', '\\u003c')}</script>`
  yield after
}
