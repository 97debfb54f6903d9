import { Effect } from 'effect'
import type { Traces } from './traces.ts'

const LIMIT = 'first-jobs='

/** Part of an experiment, for a first impression if the whole takes hours. */
export interface Part {
  /** Names of job logs, spelled like in tables; undefined: all logs. */
  readonly traces?: ReadonlyArray<string> | undefined
  /** Number of jobs taken from the start of every log, by submission; undefined: all jobs. */
  readonly firstJobs?: number | undefined
}

/** Returns the job logs at hand limited to a part, and the names of all logs that experiments have asked for. */
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

/** Returns the filter with its number of first jobs lowered to `jobs`, or limited to `jobs` if it had no limit. */
function shortened(filter: string | undefined, jobs: number): string {
  const terms = filter === undefined || filter === '' ? [] : filter.split(',')
  const limits = terms.filter((term) => term.startsWith(LIMIT)).map((term) => Number(term.slice(LIMIT.length)))
  return [...terms.filter((term) => !term.startsWith(LIMIT)), `${LIMIT}${Math.min(jobs, ...limits)}`].join(',')
}
