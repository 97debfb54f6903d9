import { formatIdset, type Topology } from '@cloister/topology'
import type { Allocation, Resources } from '../allocations.ts'
import type { Outcome, Placer, Request } from '../contract.ts'
import type { Withheld } from '../resources.ts'
import { ClusterState } from '../state.ts'

/** Allocation of a running job in a scene. Few policies read the optional fields. */
export type SceneAllocation = Resources & Partial<Allocation>

/** Contents of a state as data: running jobs, resources that are down, and resources withheld for reservations. */
export interface Scene {
  readonly running: ReadonlyArray<SceneAllocation>
  /** Jobs that were released before their ends to make an expected state, in the order of their ends. */
  readonly ahead: ReadonlyArray<SceneAllocation>
  readonly down: ReadonlyArray<Resources>
  readonly withheld: ReadonlyArray<Withheld>
}

const HOUR = 3_600_000

/** Makes a state with the contents of a scene; a fork if the scene has `ahead` or `withheld`. */
export function stateOf<Index>(
  placer: Placer<Index>,
  topology: Topology,
  { running = [], ahead = [], down = [], withheld = [] }: Partial<Scene> = {},
): ClusterState<Index> {
  const origin = new ClusterState<Index>(topology, { index: placer.index, linkCapacity: placer.linkCapacity ?? 0 })
  const state = ahead.length + withheld.length === 0 ? origin : origin.fork()
  ahead.forEach((allocation, at) =>
    state.apply({ job: `ahead-${at}`, estimatedEnd: HOUR, startOrder: at, ...allocation }),
  )
  state.releaseFirst(ahead.length)
  // The jobs start in reverse order, because an answer must not depend on the order of starts. Failures come after the
  // starts, because running jobs may hold failed nodes.
  for (let at = running.length - 1; at >= 0; at--)
    state.apply({ job: `job-${at}`, estimatedEnd: HOUR, startOrder: at, ...running[at] })
  for (const resources of down) state.fail(resources)
  for (const resources of withheld) state.withhold(resources, resources.bandwidth)
  return state
}

/** Returns equal texts for equal outcomes, even if their arrays have different types. */
export function plain(outcome: Outcome): string {
  if (!outcome.ok) return JSON.stringify(outcome)
  return JSON.stringify({
    ...outcome,
    nodes: Array.from(outcome.nodes),
    links: outcome.links.map((ids) => Array.from(ids)),
    ranks: outcome.ranks && Array.from(outcome.ranks),
  })
}

/** Returns ids for a message: an idset such as `0-17,36`, `none` without ids, or a list if the ids do not ascend. */
export function idsText(ids: ArrayLike<number>): string {
  const list = Array.from(ids)
  return list.every((id, at) => at === 0 || id > list[at - 1]) ? formatIdset(list) || 'none' : list.join()
}

export function linksText(links: ReadonlyArray<ArrayLike<number>>): string {
  return JSON.stringify(links.map((ids) => Array.from(ids)))
}

const FEW = 8

/** Returns code for a list of ids: an array, or a call of `parseIdset` for more than eight ids. */
export function idsCode(ids: ArrayLike<number>): string {
  const list = Array.from(ids)
  return list.length > FEW ? `parseIdset('${formatIdset(list)}')` : `[${list.join(', ')}]`
}

/** Returns code for an object with nodes, links and any further fields. */
export function resourcesText({ nodes, links, ...more }: Resources): string {
  const last = links.findLastIndex(({ length }) => length > 0)
  const fields = [
    `nodes: ${idsCode(nodes)}`,
    `links: [${links
      .slice(0, last + 1)
      .map(idsCode)
      .join(', ')}]`,
    ...Object.entries(more).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
  ]
  return `{ ${fields.join(', ')} }`
}

/** Default fields of `request(nodes)`, except `nodes`. */
export const plainRequest: { readonly [field in Exclude<keyof Request, 'nodes'>]: Request[field] | undefined } = {
  purpose: 'start',
  job: 'a',
  now: 0,
  decidedAt: undefined,
  startsAt: undefined,
  submitted: 0,
  estimate: undefined,
  bandwidth: undefined,
  communication: undefined,
}

/** Returns code for a request: a call of `request` with the fields that differ from `plainRequest`. */
export function requestText(request: Request): string {
  const more = Object.entries(plainRequest)
    .filter(([name, value]) => request[name as keyof Request] !== value)
    .map(([name]) => {
      const value = request[name as keyof Request]
      return `${name}: ${typeof value === 'string' && !/['\\\n]/.test(value) ? `'${value}'` : JSON.stringify(value)}`
    })
  return more.length === 0 ? `request(${request.nodes})` : `request(${request.nodes}, { ${more.join(', ')} })`
}
