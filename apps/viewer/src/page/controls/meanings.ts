import { JobQueryError, parseJobQuery, parseLength } from '@cloister/metrics'
import { linkId, nodeName, parentOf, switchName, type Topology, upPorts } from '@cloister/topology'
import type { ClockBy } from '../../words.ts'

/** Possible meaning of a text in the search field. */
export type Suggestion =
  | { readonly kind: 'job'; readonly job: string }
  | { readonly kind: 'moment'; readonly moment: NamedMoment }
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'query'; readonly query: string }
  | { readonly kind: 'command'; readonly name: string }

/** Facts of the run that the search field needs. */
interface Surroundings {
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
function isQuery(text: string): boolean {
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

/** A moment named by a text: a time in seconds or a record. */
type NamedMoment = { readonly t: number } | { readonly seq: number }

/**
 * Parses `11d 13:46`, `13:46:05`, `3h`, `950000`, `record 700`, `#700`. If the epoch is known, also parses
 * `2007-03-02` and `2007-03-02 14:00`.
 *
 * @param epoch Unix seconds of t = 0; undefined if the log has no epoch
 * @returns undefined if the text names no moment
 */
export function parseMoment(text: string, epoch: number | undefined, by: ClockBy): NamedMoment | undefined {
  const wanted = text.trim().toLowerCase()
  const [, seq] = /^(?:#|record\s+)\s*(\d{1,12})$/.exec(wanted) ?? []
  if (seq !== undefined) return { seq: Number(seq) }
  const t = timeOfRun(wanted) ?? (epoch === undefined ? undefined : dateOf(wanted, epoch, by))
  return t === undefined || !(t >= 0) ? undefined : { t }
}

function timeOfRun(text: string): number | undefined {
  const [, days = '0', hours, minutes, seconds = '0'] =
    /^(?:(\d{1,6})\s*d\s+)?(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d{1,3})?))?$/.exec(text) ?? []
  if (hours !== undefined)
    return Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) >= 60
      ? undefined
      : ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)
  return parseLength(text.replaceAll(' ', ''))
}

function dateOf(text: string, epoch: number, by: ClockBy): number | undefined {
  const parts = /^(\d{4})-(\d{2})-(\d{2})(?:[ t](\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(text)
  if (parts === null) return undefined
  const [year, month, day, hour, minute, second] = parts.slice(1).map((part) => Number(part ?? 0))
  const date =
    by === 'local'
      ? new Date(year, month - 1, day, hour, minute, second)
      : new Date(Date.UTC(year, month - 1, day, hour, minute, second))
  // `Date` turns 31 February into a day of March, so the day is compared.
  const isThatDay = (by === 'local' ? date.getDate() : date.getUTCDate()) === day
  return isThatDay && month <= 12 && hour <= 23 && minute <= 59 && second <= 59
    ? date.getTime() / 1000 - epoch
    : undefined
}

/** A part of the machine: the nodes from `from` to before `to`, or a cable between two switches. */
export type Place =
  | { readonly kind: 'nodes'; readonly name: string; readonly from: number; readonly to: number }
  | {
      readonly kind: 'link'
      readonly name: string
      readonly level: number
      readonly link: number
      readonly leaf: number
    }

/** Returns the parts of a machine that a text may mean: `leaf 12`, `l12`, `pod 3`, `node 7`, `leaf 12 -> l2 3`. */
export function placesNamed(text: string, topology: Topology): ReadonlyArray<Place> {
  const ends = text.split(/->|→| to /)
  if (ends.length === 2) return linksBetween(ends[0], ends[1], topology)
  if (ends.length > 2) return []
  return [...podsNamed(text, topology), ...leavesNamed(text, topology), ...nodesNamed(text, topology)]
}

function podsNamed(text: string, { pods, firstLeafOfPod, firstNodeOfLeaf }: Topology): ReadonlyArray<Place> {
  const [, number] = /^pod(\d{1,6})$/.exec(plain(text)) ?? []
  const pod = Number(number ?? Infinity)
  if (pod >= pods) return []
  const [from, to] = [firstNodeOfLeaf[firstLeafOfPod[pod]], firstNodeOfLeaf[firstLeafOfPod[pod + 1]]]
  return [{ kind: 'nodes', name: `pod ${pod}`, from, to }]
}

function leavesNamed(text: string, topology: Topology): ReadonlyArray<Place> {
  return switchesNamed(text, 0, topology).map((leaf) => ({
    kind: 'nodes',
    name: switchName(topology, 0, leaf),
    from: topology.firstNodeOfLeaf[leaf],
    to: topology.firstNodeOfLeaf[leaf + 1],
  }))
}

function nodesNamed(text: string, topology: Topology): ReadonlyArray<Place> {
  const wanted = plain(text)
  if (wanted === '') return []
  for (let node = 0; node < topology.nodes; node++)
    if (plain(nodeName(topology, node)) === wanted)
      return [{ kind: 'nodes', name: nodeName(topology, node), from: node, to: node + 1 }]
  return []
}

function linksBetween(one: string, other: string, topology: Topology): ReadonlyArray<Place> {
  const found: Array<Place> = []
  for (const [low, high] of [
    [one, other],
    [other, one],
  ])
    for (let level = 0; level + 1 < topology.levels.length; level++) {
      const uppers = new Set(switchesNamed(high, level + 1, topology))
      if (uppers.size === 0) continue
      for (const sw of switchesNamed(low, level, topology))
        for (let port = 0; port < upPorts(topology, level, sw); port++) {
          const upper = parentOf(topology, level, sw, port)
          if (!uppers.has(upper)) continue
          found.push({
            kind: 'link',
            name: `${switchName(topology, level, sw)} port ${port} to ${switchName(topology, level + 1, upper)}`,
            level,
            link: linkId(topology, level, sw, port),
            leaf: leafBelow(topology, level, sw),
          })
        }
    }
  return found
}

function switchesNamed(text: string, level: number, topology: Topology): ReadonlyArray<number> {
  const wanted = plain(text)
  if (wanted === '') return []
  const short = level === 0 ? wanted.replace(/^l(?=\d+$)/, 'leaf') : wanted
  const found: Array<number> = []
  for (let sw = 0; sw < topology.levels[level].switches; sw++) {
    const name = plain(switchName(topology, level, sw))
    if (name === wanted || name === short) found.push(sw)
  }
  return found
}

/** Returns a leaf below a switch. For a cable of the switch, the page shows the pod of this leaf. */
function leafBelow(topology: Topology, level: number, sw: number): number {
  if (level === 0) return sw
  for (let below = 0; below < topology.levels[level - 1].switches; below++)
    for (let port = 0; port < upPorts(topology, level - 1, below); port++)
      if (parentOf(topology, level - 1, below, port) === sw) return leafBelow(topology, level - 1, below)
  return 0
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]/g, '')
}
