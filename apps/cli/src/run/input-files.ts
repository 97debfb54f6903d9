import { matrixPaths, type RunSpec } from '@cloister/run'
import { fileOfSpec } from '@cloister/topology'
import { publicLog } from '@cloister/trace-io'
import { findTrace } from '@cloister/trace-io/node'
import type { Files } from '../files/files.ts'

/** Fields with file names in the description of a run. */
type Naming = Partial<Pick<RunSpec, 'trace' | 'topology' | 'policy' | 'outages' | 'matrices'>>

/**
 * Returns the files read by runs. An output with the path of such a file would destroy the input. Returns an empty list
 * if `out` does not exist.
 */
export function inputFiles(
  files: Files['Service'],
  out: string,
  runs: ReadonlyArray<Naming>,
  traceDir: string | undefined,
): ReadonlyArray<string> {
  if (!files.exists(out)) return []
  const named = runs.flatMap(({ trace, topology, policy, outages, matrices }) => [
    trace,
    topology === undefined ? undefined : fileOfSpec(topology),
    policy,
    outages,
    ...(matrices === undefined ? [] : matrixPaths(matrices)),
  ])
  const traces = new Set(runs.map(({ trace }) => trace))
  const paths = new Set(named.filter((path) => path !== undefined))
  return [...paths, ...[...traces].flatMap((trace) => presetFile(trace, traceDir))]
}

/** Returns the file of a public job log; empty if `trace` is not the name of a public log. */
function presetFile(trace: string | undefined, traceDir: string | undefined): ReadonlyArray<string> {
  const log = trace === undefined || traceDir === undefined ? undefined : publicLog(trace)
  if (log === undefined) return []
  try {
    return [findTrace(log, [traceDir!]).path]
  } catch {
    // The reader of the trace reports a missing file.
    return []
  }
}
