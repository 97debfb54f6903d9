import {
  type Arrivals,
  type Filter,
  formatSynthetic,
  narrowFilter,
  parseArrivals,
  parseFilter,
  parseSynthetic,
  type SizeRule,
  SpecError,
  syntheticJobs,
  withProcsPerNode,
  withSizes,
} from '@cloister/workload'
import { quote, TraceError } from './errors.ts'
import { publicLog, type PublicLog, traceManifest } from './manifest.ts'
import { isJobspecs, parseJobspecs } from './json-jobs/flux-jobspecs.ts'
import { isWorkloads, parseWorkloads } from './json-jobs/kueue-workloads.ts'
import { isCommunicationList, parseCommunicationList } from './parse-communication-list.ts'
import { parseSlurmCsv, type SlurmOptions } from './slurm/parse-slurm-csv.ts'
import { isSacct } from './slurm/read-sacct.ts'
import { swfFromJobs } from './swf/swf-from-workload.ts'
import { parseSwf } from './swf/swf-text.ts'
import { type ParquetTable, parseJobTable } from './table/parse-job-table.ts'
import { procsOfNode, type SwfTrace } from './swf/swf.ts'
import { decoded, MAX_BYTES } from './text.ts'
import { type ConversionOptions, type ConvertedWorkload, traceName, workloadFromSwf } from './swf/workload-from-swf.ts'

/** Opened file of a trace. */
export interface OpenTrace {
  readonly file: string
  /** The decompressed bytes; at least the first 64 KiB if `more` has the other bytes. */
  readonly text: Uint8Array
  /** Pieces of a large file after `text`, to be read once; absent if `text` is the whole file. */
  readonly more?: Iterable<Uint8Array>
  /** SHA-256 (hex) of the stored bytes. With `more`, the value is read after the last piece. */
  readonly sha256: string
  /** Columns of a Parquet file, as `readParquet` of `@cloister/trace-io/parquet` reads them; absent for other files. */
  readonly table?: ParquetTable
}

/** Source of the files of traces, such as a file system, or files that a user gave to a web page. */
export interface TraceFiles {
  /** Returns the file at a path; undefined if there is no file. @throws TraceError if the file cannot be read */
  readonly open: (path: string) => OpenTrace | undefined
  /** Returns a public log's file. @throws TraceNotFoundError, with addresses to download the log, if it is missing */
  readonly find: (log: PublicLog) => OpenTrace
}

/** Options for reading a trace. */
export interface LoadOptions extends Omit<SlurmOptions, 'file'> {
  /** Filter as `parseFilter` reads it, added to a preset's filter. Terms with one value replace the preset's terms. */
  readonly filter?: string
  /** Number of processors per node. Default: the number in the filter's `size`, else from the header of the log. */
  readonly procsPerNode?: number
  /** Processors that give a job's size. Default: the processors in the filter's `size`; `requested` without `size`. */
  readonly sizes?: SizeRule['from']
  /**
   * Arrivals as `parseArrivals` reads them. Default: by the preset; `trace` for a file, `zero` for a generated trace.
   */
  readonly arrivals?: string
  /** Columns of a table of jobs, as `parseJobColumns` reads them; only for a file in CSV or Parquet. */
  readonly columns?: string
}

/**
 * Returns the workload of a trace: a preset of the manifest (`thunder`), a generated trace (`synth:16`), or a file in
 * SWF, Slurm's accounting as `sacct` prints it, a list of communicating jobs, jobspecs of Flux or Workloads of Kueue in
 * JSON, or a table in CSV or Parquet with the option `columns`. `files` reads the columns of a Parquet file before, because that takes time (`OpenTrace.table`).
 *
 * @param files source of the files, instead of a file system; a generated trace needs no file
 * @throws SpecError for a wrong trace, filter, arrivals or number of processors per node
 * @throws TraceError for a file that cannot be read, is no job log or has no jobs
 * @throws TraceNotFoundError if `files` does not find the file of a preset
 */
export function loadWorkloadFrom(files: TraceFiles, trace: string, options: LoadOptions = {}): ConvertedWorkload {
  const narrow = (filter: string): Filter =>
    withProcsPerNode(narrowFilter(parseFilter(filter), parseFilter(options.filter ?? '')), options.procsPerNode)
  const arrivals = (byDefault: string): Arrivals => parseArrivals(options.arrivals ?? byDefault)

  if (options.columns !== undefined && (trace.startsWith('synth:') || publicLog(trace) !== undefined))
    throw new SpecError(
      'columns',
      options.columns,
      'no columns: only a trace that is a table in CSV or Parquet has columns',
    )
  if (trace.startsWith('synth:')) {
    const synthetic = parseSynthetic(trace)
    const name = formatSynthetic(synthetic)
    const jobs = syntheticJobs(synthetic)
    return workloadFromSwf(swfFromJobs(jobs, synthetic.count, { name, filter: '' }), {
      filter: withSizes(narrow(''), options.sizes),
      arrivals: arrivals('zero'),
      name,
    })
  }
  const log = publicLog(trace)
  if (log !== undefined) {
    const conversion = { filter: narrow(log.filter), arrivals: arrivals(log.arrivals), name: traceName(log.file) }
    return convert(files.find(log), conversion, options)
  }
  const opened = files.open(trace)
  if (opened === undefined) {
    const presets = traceManifest().logs.map(({ preset }) => preset)
    throw new SpecError('trace', trace, `an existing file, a preset (${presets.join(', ')}) or 'synth:16'`, [
      ...presets,
      'synth',
    ])
  }
  return convert(opened, { filter: narrow(''), arrivals: arrivals('trace') }, options)
}

function convert(
  opened: OpenTrace,
  conversion: ConversionOptions & { readonly filter: Filter },
  { sizes, ...reading }: LoadOptions,
): ConvertedWorkload {
  const { file, text } = opened
  const parse = parserOf(opened, reading.columns)
  const unlike = parse === parseSwf ? notAJobLog(text, file) : undefined
  if (unlike !== undefined) throw unlike
  const trace =
    parse === parseSwf ? parseSwf(piecesOf(opened), { ...reading, file }) : parse(whole(opened), { ...reading, file })
  if (trace.jobs === 0)
    throw new TraceError({
      file,
      found: 'no job',
      expected: `a ${isParquet(text) ? 'row' : `line of ${parse === parseSwf ? '18 numbers' : 'values'}`} for each job`,
    })
  const { filter } = conversion
  const nodeProcs = filter.size === undefined ? procsOfNode(trace.directives) : undefined
  const converted = workloadFromSwf(trace, {
    ...conversion,
    filter: withSizes(typeof nodeProcs === 'number' ? withProcsPerNode(filter, nodeProcs) : filter, sizes),
    sourceSha256: opened.sha256,
  })
  return nodeProcs === undefined ? converted : { ...converted, nodeProcs }
}

function* piecesOf({ text, more = [] }: OpenTrace): Generator<Uint8Array, void, void> {
  yield text
  yield* more
}

/** Returns all bytes of a file that no stream can read. @throws TraceError for more than 2^30 bytes */
function whole(opened: OpenTrace): Uint8Array {
  if (opened.more === undefined) return opened.text
  const pieces: Array<Uint8Array> = []
  let length = 0
  for (const piece of piecesOf(opened)) {
    length += piece.length
    pieces.push(piece)
    if (length > MAX_BYTES) throw tooLarge(opened.file)
  }
  const bytes = new Uint8Array(length)
  for (const piece of pieces.toReversed()) bytes.set(piece, (length -= piece.length))
  return bytes
}

/** @param stored bytes of the compressed file, if the limit follows from them */
export function tooLarge(file: string, limit: number = MAX_BYTES, stored?: number): TraceError {
  const from = stored === undefined ? '' : ` from a file of ${stored} bytes`
  const expected = `a trace of at most ${limit} bytes when decompressed${from}`
  return new TraceError({ file, found: `more than ${limit} bytes`, expected })
}

type Parser = (text: Uint8Array, options: SlurmOptions) => SwfTrace

function parserOf({ file, text, table }: OpenTrace, columns: string | undefined): Parser {
  if (isParquet(text) && (columns === undefined || table === undefined))
    throw new TraceError({
      file,
      found: 'a table in Parquet',
      expected: columns === undefined ? 'the columns of the table: --columns names them' : TABLE_FIRST,
    })
  if (columns !== undefined) return (bytes, options) => parseJobTable(table ?? bytes, { ...options, columns })
  if (isCommunicationList(text)) return parseCommunicationList
  const start = decoded(text.subarray(0, HEAD))
  if (isWorkloads(start)) return parseWorkloads
  if (isSacct(text)) return parseSlurmCsv
  return isJobspecs(start) ? parseJobspecs : parseSwf
}

const TABLE_FIRST = 'its columns too, as readParquet of @cloister/trace-io/parquet reads them'

/** Recognises a Parquet file by its first bytes. */
export function isParquet(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x41 && bytes[2] === 0x52 && bytes[3] === 0x31
}

/** List of the forms of job logs, for messages. */
export const jobLogForms =
  "a job log in SWF, in Slurm's accounting as sacct prints it, in a list of communicating jobs, in jobspecs of Flux or Workloads of Kueue in JSON, or with --columns in a table in CSV or Parquet"

/** Number of bytes at the start of a file by which its form is recognised, and in which the first job's line is expected, after the comments. */
const HEAD = 2 ** 16
/** Pattern of a line that begins with two numbers, as a job in SWF begins with 18 numbers. */
const JOB_LINE = /^[ \t]*-?[\d.]+[ \t]+-?[\d.]/m
/** Pattern of a line that is neither a comment of SWF nor empty. */
const CONTENT = /^[ \t]*[^;\s].*$/m

/**
 * Recognises a file that is no job log, such as a program or a picture: no line in the first 64 KiB is a job of SWF.
 *
 * @returns an error with the first line that is no comment; undefined if a line may be a job or all lines are comments
 */
function notAJobLog(text: Uint8Array, file: string): TraceError | undefined {
  const head = new TextDecoder().decode(text.subarray(0, HEAD)).replace(/^\uFEFF/, '')
  const content = CONTENT.exec(head)
  if (content === null || JOB_LINE.test(head)) return undefined
  const line = head.slice(0, content.index).split(/\r\n|\r|\n/).length
  return new TraceError({ file, line, found: quote(content[0].trim()), expected: jobLogForms })
}
