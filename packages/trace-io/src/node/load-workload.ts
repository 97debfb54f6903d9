import { existsSync } from 'node:fs'
import {
  type Arrivals,
  defaultSize,
  type Filter,
  generateSynthetic,
  narrowFilter,
  parseArrivals,
  parseFilter,
  parseSynthetic,
  SpecError,
} from '@cloister/workload'
import { TraceError } from '../errors.ts'
import { publicLog, traceManifest } from '../manifest.ts'
import { isCommunicationList, parseCommunicationList } from '../parse-communication-list.ts'
import { isSlurmCsv, parseSlurmCsv } from '../parse-slurm-csv.ts'
import { parseSwf } from '../parse-swf.ts'
import { swfFromWorkload } from '../swf-from-workload.ts'
import { traceName, workloadFromSwf } from '../workload-from-swf.ts'
import type { ConversionOptions, ConvertedWorkload } from '../workload-from-swf.ts'
import { findTrace } from './find-trace.ts'
import { readTraceFile, traceText } from './trace-file.ts'
import type { TraceFile } from './trace-file.ts'

export interface LoadOptions {
  /** Where the logs of presets are looked for. */
  readonly folders?: ReadonlyArray<string>
  /** As for `parseFilter`. Added to the filter of a preset; a size or limit given here replaces the preset's. */
  readonly filter?: string
  /** Processors per node, in place of the filter's. */
  readonly procsPerNode?: number
  /** As for `parseArrivals`. Default: the preset's own; `trace` for files, `zero` for generated traces. */
  readonly arrivals?: string
}

/**
 * Gives the workload that a command line names: a preset of the manifest (`thunder`), a generated trace (`synth:16`), or else a file in
 * SWF or of Slurm's accounting as comma-separated values, as it is or compressed. A file that has the name of a preset is `./thunder`.
 *
 * @throws SpecError for a name, filter or arrivals that are none
 * @throws TraceError for a file that cannot be read
 * @throws TraceNotFoundError for a preset whose file is in none of the folders
 */
export function loadWorkload(trace: string, options: LoadOptions = {}): ConvertedWorkload {
  const narrow = (filter: string): Filter =>
    withProcsPerNode(narrowFilter(parseFilter(filter), parseFilter(options.filter ?? '')), options.procsPerNode)
  const arrivals = (byDefault: string): Arrivals => parseArrivals(options.arrivals ?? byDefault)

  if (trace.startsWith('synth:')) {
    const workload = generateSynthetic(parseSynthetic(trace))
    return workloadFromSwf(swfFromWorkload(workload), {
      filter: narrow(''),
      arrivals: arrivals('zero'),
      name: workload.name,
    })
  }
  const log = publicLog(trace)
  if (log !== undefined) {
    const conversion = { filter: narrow(log.filter), arrivals: arrivals(log.arrivals), name: traceName(log.file) }
    return convert(findTrace(log, options.folders ?? []), conversion)
  }
  if (!existsSync(trace)) {
    throw new SpecError(
      'trace',
      trace,
      `a file, a preset (${traceManifest()
        .logs.map(({ preset }) => preset)
        .join(', ')}) or 'synth:16'`,
    )
  }
  return convert(readTraceFile(trace), { filter: narrow(''), arrivals: arrivals('trace') })
}

function convert(file: TraceFile, conversion: ConversionOptions): ConvertedWorkload {
  const text = traceText(file)
  const parse = isCommunicationList(text) ? parseCommunicationList : isSlurmCsv(text) ? parseSlurmCsv : parseSwf
  const trace = parse(text, { file: file.path })
  if (trace.jobs === 0)
    throw new TraceError({
      file: file.path,
      found: 'no job',
      expected: `a line of ${parse === parseSwf ? '18 numbers' : 'values'} for each job`,
    })
  return workloadFromSwf(trace, { ...conversion, sourceSha256: file.sha256 })
}

function withProcsPerNode(filter: Filter, procsPerNode: number | undefined): Filter {
  if (procsPerNode === undefined) return filter
  if (!Number.isInteger(procsPerNode) || procsPerNode < 1)
    throw new SpecError('processors per node', String(procsPerNode), 'a whole number of at least 1')
  return { ...filter, size: { ...(filter.size ?? defaultSize), procsPerNode } }
}
