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
import { TraceError } from './errors.ts'
import { notAJobLog } from './job-log-forms.ts'
import { publicLog, type PublicLog, traceManifest } from './manifest.ts'
import { isCommunicationList, parseCommunicationList } from './parse-communication-list.ts'
import type { UtcOffset } from './slurm/local-time.ts'
import { isSlurmCsv, parseSlurmCsv } from './slurm/parse-slurm-csv.ts'
import { parseSwf } from './swf/parse-swf.ts'
import { procsOfNode } from './swf/procs-of-node.ts'
import { swfFromJobs } from './swf/swf-from-workload.ts'
import { type ConversionOptions, type ConvertedWorkload, traceName, workloadFromSwf } from './swf/workload-from-swf.ts'

/** The file of a trace, opened: its name, its contents decompressed, and the SHA-256 (hex) of its bytes as they are kept. */
export interface OpenTrace {
  readonly file: string
  readonly text: Uint8Array
  readonly sha256: string
}

/** Where the files of traces are: a file system, what a page was given, a test. */
export interface TraceFiles {
  /**
   * Opens the file of that path; undefined where there is none.
   *
   * @throws TraceError where it cannot be read
   */
  readonly open: (path: string) => OpenTrace | undefined
  /**
   * Finds and opens the file of a public log.
   *
   * @throws TraceNotFoundError saying where to get it
   */
  readonly find: (log: PublicLog) => OpenTrace
}

/** How a trace is filtered and when its jobs arrive. */
export interface LoadOptions {
  /** As for `parseFilter`. Added to the filter of a preset; a size or limit given here replaces the preset's. */
  readonly filter?: string
  /** Processors per node, in place of the filter's. */
  readonly procsPerNode?: number
  /** Which processors of a job are its size. Default: as the filter says, else the requested ones. */
  readonly sizes?: SizeRule['from']
  /** As for `parseArrivals`. Default: the preset's own; `trace` for files, `zero` for generated traces. */
  readonly arrivals?: string
  /** Pass over lines that are no jobs, and count them. */
  readonly skipBadLines?: boolean
  /** Of the clocks that times of day in Slurm's accounting are by. Default: none, UTC. */
  readonly utcOffset?: UtcOffset
  /** When a job of Slurm's accounting arrives: `eligible`, which is the default, or `submit`. */
  readonly arrivesWhen?: 'eligible' | 'submit'
  /** Of Slurm's accounting: whether to find out which jobs shared nodes. Default: no. */
  readonly countsNodeSharing?: boolean
}

/**
 * Gives the workload that a command line names: a preset of the manifest (`thunder`), a generated trace (`synth:16`), or else a file in
 * SWF, of Slurm's accounting as `sacct` prints it, or of jobs that communicate. Runs wherever `files` can give their contents.
 *
 * @param files where the files are; a generated trace needs none
 * @throws SpecError for a name, filter or arrivals that are none
 * @throws TraceError for a file that cannot be read
 * @throws TraceNotFoundError for a preset whose file is not there
 */
export function loadWorkloadFrom(files: TraceFiles, trace: string, options: LoadOptions = {}): ConvertedWorkload {
  const narrow = (filter: string): Filter =>
    withProcsPerNode(narrowFilter(parseFilter(filter), parseFilter(options.filter ?? '')), options.procsPerNode)
  const arrivals = (byDefault: string): Arrivals => parseArrivals(options.arrivals ?? byDefault)

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
  { file, text, sha256 }: OpenTrace,
  conversion: ConversionOptions & { readonly filter: Filter },
  { skipBadLines = false, sizes, utcOffset, arrivesWhen, countsNodeSharing }: LoadOptions,
): ConvertedWorkload {
  const parse = isCommunicationList(text) ? parseCommunicationList : isSlurmCsv(text) ? parseSlurmCsv : parseSwf
  const unlike = parse === parseSwf ? notAJobLog(text, file) : undefined
  if (unlike !== undefined) throw unlike
  const trace = parse(text, {
    file,
    skipBadLines,
    ...(utcOffset && { utcOffset }),
    ...(arrivesWhen && { arrivesWhen }),
    ...(countsNodeSharing === true && { countsNodeSharing }),
  })
  if (trace.jobs === 0)
    throw new TraceError({
      file,
      found: 'no job',
      expected: `a line of ${parse === parseSwf ? '18 numbers' : 'values'} for each job`,
    })
  const { filter } = conversion
  const nodeProcs = filter.size === undefined ? procsOfNode(trace.directives) : undefined
  const converted = workloadFromSwf(trace, {
    ...conversion,
    filter: withSizes(typeof nodeProcs === 'number' ? withProcsPerNode(filter, nodeProcs) : filter, sizes),
    sourceSha256: sha256,
  })
  return nodeProcs === undefined ? converted : { ...converted, nodeProcs }
}
