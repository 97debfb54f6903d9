import { Effect } from 'effect'
import type { Traces } from './traces.ts'

const LIMIT = 'first-jobs='

/** Part of an experiment (some job logs, or the first jobs of each log), for an early first result. */
export interface Part {
  /** Names of job logs to run, spelled like in the tables of reports; undefined for all logs. */
  readonly traces?: ReadonlyArray<string> | undefined
  /** Number of jobs to run from the start of every log, in submit order; undefined for all jobs. */
  readonly firstJobs?: number | undefined
}

/** Limits a service to the job logs of a part. `asked`: the names of all logs that an experiment requested so far. */
export function partOf(
  traces: Traces['Service'],
  { traces: names, firstJobs }: Part,
): { readonly service: Traces['Service']; readonly asked: ReadonlySet<string> } {
  const asked = new Set<string>()
  const locate: Traces['Service']['locate'] = Effect.fnUntraced(function* (trace) {
    asked.add(trace.name)
    if (names?.includes(trace.name) === false) return undefined
    const located = yield* traces.locate(trace)
    return located === undefined || firstJobs === undefined
      ? located
      : { ...located, filter: shortened(located.filter, firstJobs) }
  })
  return { service: { ...traces, locate }, asked }
}

/** Returns a filter for the first `jobs` jobs; for fewer if the given filter already has a smaller `first-jobs=`. */
function shortened(filter: string | undefined, jobs: number): string {
  const terms = filter === undefined || filter === '' ? [] : filter.split(',')
  const limits = terms.filter((term) => term.startsWith(LIMIT)).map((term) => Number(term.slice(LIMIT.length)))
  return [...terms.filter((term) => !term.startsWith(LIMIT)), `${LIMIT}${Math.min(jobs, ...limits)}`].join(',')
}
