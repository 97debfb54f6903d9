import { JobQueryError, parseJobQuery } from '@cloister/metrics'
import { type NamedMoment, parseMoment, type ClockBy } from '../navigation/moments.ts'
import { type Place, placesNamed } from '../navigation/places.ts'
import type { Topology } from '@cloister/topology'

/** What a text in the field may mean. */
export type Suggestion =
  | { readonly kind: 'job'; readonly job: string }
  | { readonly kind: 'moment'; readonly moment: NamedMoment }
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'query'; readonly query: string }
  | { readonly kind: 'command'; readonly name: string }

/** What the field knows of the run. */
export interface Surroundings {
  readonly topology: Topology
  readonly ids: ReadonlyArray<string>
  readonly isJob: (id: string) => boolean
  readonly epoch: number | undefined
  readonly clockBy: ClockBy
  readonly commands: ReadonlyArray<string>
}

const JOBS = 5
const PLACES = 6
/** Jobs that are looked through for one whose id begins with the text. */
const LOOKED_THROUGH = 200_000

/** What a text may mean, the likeliest first: a job of just that name, else a time, a place, jobs, a command. */
export function suggestionsFor(given: string, run: Surroundings): ReadonlyArray<Suggestion> {
  const text = given.trim()
  if (text === '') return run.commands.map((name) => ({ kind: 'command', name }))
  const moment = parseMoment(text, run.epoch, run.clockBy)
  return [
    ...(run.isJob(text) ? [{ kind: 'job', job: text } as const] : []),
    ...(moment === undefined ? [] : [{ kind: 'moment', moment } as const]),
    ...placesNamed(text, run.topology)
      .slice(0, PLACES)
      .map((place) => ({ kind: 'place', place }) as const),
    ...(isQuery(text) ? [{ kind: 'query', query: text } as const] : []),
    ...run.commands
      .filter((name) => text.length > 1 && name.includes(text.toLowerCase()))
      .map((name) => ({ kind: 'command', name }) as const),
    ...jobsBeginning(text, run),
  ]
}

/** Whether a text asks for jobs by what they are; words alone may be a user, which only the log knows. */
export function isQuery(text: string): boolean {
  if (!/[=<>~]/.test(text.replaceAll('->', ''))) return false
  try {
    parseJobQuery(text)
    return true
  } catch (error) {
    if (error instanceof JobQueryError) return false
    throw error
  }
}

function jobsBeginning(text: string, { ids }: Surroundings): ReadonlyArray<Suggestion> {
  const found: Array<Suggestion> = []
  for (let at = 0; at < Math.min(ids.length, LOOKED_THROUGH) && found.length < JOBS; at++)
    if (ids[at].startsWith(text) && ids[at] !== text) found.push({ kind: 'job', job: ids[at] })
  return found
}
