import { existsSync } from 'node:fs'
import { type LoadOptions, loadWorkloadFrom, type OpenTrace } from '../load-workload.ts'
import type { PublicLog } from '../manifest.ts'
import type { ConvertedWorkload } from '../swf/workload-from-swf.ts'
import { findTrace } from './find-trace.ts'
import { readTraceFile, type TraceFile, traceText } from './trace-file.ts'

/**
 * Gives the workload that a command line names, as `loadWorkloadFrom` does, from files as they are or compressed. A file that has the
 * name of a preset is `./thunder`.
 *
 * @param options `folders`: where the logs of presets are looked for
 * @throws SpecError for a name, filter or arrivals that are none
 * @throws TraceError for a file that cannot be read
 * @throws TraceNotFoundError for a preset whose file is in none of the folders
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
