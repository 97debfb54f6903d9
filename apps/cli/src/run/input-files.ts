import { matrixPaths, type RunSpec } from '@cloister/run'
import type { Files } from '@cloister/run/node'
import { filesOfSpec } from '@cloister/topology'
import { publicLog } from '@cloister/trace-io'
import { findTrace } from '@cloister/trace-io/node'

type Naming = Partial<Pick<RunSpec, 'trace' | 'topology' | 'policy' | 'router' | 'order' | 'outages' | 'matrices'>>

/**
 * Returns the paths of all files that runs read, for a check that the output is none of these files. Returns an empty
 * list if `out` does not exist, because a new file destroys no input.
 */
export function inputFiles(
  files: Files['Service'],
  out: string,
  runs: ReadonlyArray<Naming>,
  traceDir: string | undefined,
): ReadonlyArray<string> {
  if (!files.exists(out)) return []
  const traces = new Set(runs.map(({ trace }) => trace))
  return [...namedFiles(runs), ...[...traces].flatMap((trace) => presetFile(trace, traceDir))]
}

/** Returns the values of options that may be paths of files, each once: a policy, for example, may also be a name. */
export function namedFiles(runs: ReadonlyArray<Naming>): ReadonlyArray<string> {
  const named = runs.flatMap(({ trace, topology, policy, router, order, outages, matrices }) => [
    trace,
    ...(topology === undefined ? [] : filesOfSpec(topology)),
    policy,
    router,
    order,
    outages,
    ...(matrices === undefined ? [] : matrixPaths(matrices).filter((path) => !path.startsWith('halo:'))),
  ])
  return [...new Set(named.filter((path) => path !== undefined))]
}

function presetFile(trace: string | undefined, traceDir: string | undefined): ReadonlyArray<string> {
  const log = trace === undefined || traceDir === undefined ? undefined : publicLog(trace)
  if (log === undefined) return []
  try {
    return [findTrace(log, [traceDir!]).path]
  } catch {
    // The reader of the trace reports the missing file later.
    return []
  }
}
