import { existsSync } from 'node:fs'
import { type LoadOptions, loadWorkloadFrom, type OpenTrace } from '../load-workload.ts'
import type { PublicLog } from '../manifest.ts'
import type { ConvertedWorkload } from '../swf/workload-from-swf.ts'
import { findTrace } from './find-trace.ts'
import { readTraceFile, type TraceFile, traceText } from './trace-file.ts'

/**
 * Returns the workload of a trace: a preset of the manifest, a generated trace, or a file on disk, plain or compressed.
 * Put `./` before the name of a file that is also the name of a preset, such as `./thunder`.
 *
 * @param options `folders`: folders to search for the logs of presets
 * @throws SpecError for a wrong trace, filter, arrivals or number of processors per node
 * @throws TraceError for a file that cannot be read, is no job log or has no jobs
 * @throws TraceNotFoundError if the file of a preset is in none of the folders
 */
export function loadWorkload(
  trace: string,
  { folders = [], ...options }: LoadOptions & { readonly folders?: ReadonlyArray<string> } = {},
): ConvertedWorkload {
  const files = {
    open: (path: string) => (existsSync(path) ? opened(readTraceFile(path)) : undefined),
    find: (log: PublicLog) => opened(findTrace(log, folders)),
  }
  return loadWorkloadFrom(files, trace, options)
}

function opened(file: TraceFile): OpenTrace {
  return { file: file.path, text: traceText(file), sha256: file.sha256 }
}
