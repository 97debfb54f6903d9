import type { Fault, LogRecord } from '@cloister/eventlog'
import { recordedInputs } from '@cloister/replay'
import type { RunOptionName, RunSpec } from '@cloister/run'
import { outageLines, type SmallRun } from './small-run.ts'

/** Options of a log's header that shape the run. Submit records have the effects of the other options on jobs. */
const kept = [
  'queue',
  'reservation',
  'windowOrder',
  'replan',
  'moveMinNodes',
  'estimates',
  'overrun',
  'requeue',
  'runTimes',
  'cost',
] as const satisfies ReadonlyArray<RunOptionName>

/** Run time in ms of a job without an end and without an estimate in the log. */
const UNKNOWN_MS = 1000

/**
 * Returns the run of a log that ends with a fault of the policy, and the fault; undefined for a log without a fault. A
 * job that had no end before the fault runs for its estimate.
 *
 * @param from policy and machine of the run, and its router and queue order if not built in, because the log has no path of a file
 */
export function faultyRun(
  records: Iterable<LogRecord>,
  from: Pick<RunSpec, 'policy' | 'router' | 'order' | 'topology'>,
): { readonly run: SmallRun; readonly fault: Fault } | undefined {
  let fault: Fault | undefined
  const { header, jobs, outages, limit } = recordedInputs(withLast(records, (last) => (fault = last)))
  if (fault === undefined) return undefined
  const isExact = header.options.estimates === 'exact'
  const options: SmallRun['options'] = {
    ...Object.fromEntries(kept.map((name) => [name, header.options[name]])),
    ...(header.router !== undefined && { router: header.router.name }),
    ...(header.order !== undefined && { order: header.order.name, orderConfig: header.order.config }),
    ...from,
    config: header.policy.config,
    ...(limit === undefined ? {} : { maxPlaceMs: limit }),
  }
  return {
    fault,
    run: {
      options,
      // In a log with exact estimates the estimate is the run time, also of a job that interference slowed.
      jobs: jobs.map((job) => ({
        ...job,
        runTime: isExact || !Number.isFinite(job.runTime) ? (job.walltime ?? UNKNOWN_MS) : job.runTime,
      })),
      outages: outageLines(outages),
    },
  }
}

function* withLast(records: Iterable<LogRecord>, found: (fault: Fault) => void): Generator<LogRecord> {
  for (const record of records) {
    if (record.type === 'fault') found(record)
    yield record
  }
}
