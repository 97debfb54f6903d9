import type { LogRecord } from '@cloister/eventlog'
import { rerun, type RerunResult } from '@cloister/replay'
import { blamePolicy, routingOf, type Run } from '@cloister/run'

/** Runs the policy of a run again on the records of the log of the same run. @throws PolicyFailedError */
export function rerunOfRun(
  { topology, found, bound, options, runTimes, hash }: Run,
  records: () => Iterable<LogRecord>,
): RerunResult {
  const routing = routingOf(options.router, topology, bound, hash)
  return blamePolicy(found, 'place', () =>
    rerun({
      records,
      placer: bound.placer,
      policyName: bound.policy.name,
      ...(routing && { routing }),
      ...(runTimes && { runTimes }),
    }),
  )
}
