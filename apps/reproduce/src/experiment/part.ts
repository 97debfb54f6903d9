import { Effect } from 'effect'
import type { Traces } from './traces.ts'

const LIMIT = 'first-jobs='

/** A part of what an experiment asks for: a taste of it, where the whole takes hours. */
export interface Part {
  /** Names of job logs, as tables have them; undefined: all. */
  readonly traces?: ReadonlyArray<string> | undefined
  /** Of every log only so many jobs, by submission; undefined: all. */
  readonly firstJobs?: number | undefined
}

/** Only a part of the job logs at hand, and the names of all that experiments asked for. */
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

/** The filter as it is written, but for how many jobs it takes. */
function shortened(filter: string | undefined, jobs: number): string {
  const terms = filter === undefined || filter === '' ? [] : filter.split(',')
  const limits = terms.filter((term) => term.startsWith(LIMIT)).map((term) => Number(term.slice(LIMIT.length)))
  return [...terms.filter((term) => !term.startsWith(LIMIT)), `${LIMIT}${Math.min(jobs, ...limits)}`].join(',')
}
