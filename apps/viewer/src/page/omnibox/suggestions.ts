import { JobQueryError, parseJobQuery } from '@cloister/metrics'
import { type NamedMoment, parseMoment, type ClockBy } from '../navigation/moments.ts'
import { type Place, placesNamed } from '../navigation/places.ts'
import type { Topology } from '@cloister/topology'

/** Possible meaning of a text in the search field. */
export type Suggestion =
  | { readonly kind: 'job'; readonly job: string }
  | { readonly kind: 'moment'; readonly moment: NamedMoment }
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'query'; readonly query: string }
  | { readonly kind: 'command'; readonly name: string }

/** Facts of the run that the search field needs. */
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
/** Number of jobs that are searched for an id with the text as its beginning. */
const LOOKED_THROUGH = 200_000

/**
 * Returns the meanings of a text, likeliest first: a job, a time or record, a part of the machine, a query, a command,
 * jobs whose ids begin with the text.
 */
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

/** Returns true if a text is a query with a condition. Words alone may be a user, and only the log knows the users. */
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
