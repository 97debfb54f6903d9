import { expectedEnd, type JobNumbers, type LogState, type Submit } from '@cloister/eventlog'
import type { TimelineFigure } from '@cloister/metrics'
import { formatIdset, type Topology } from '@cloister/topology'
import type { Packed } from './messages.ts'
import { type Moment, noOwner } from './questions.ts'

/** Greatest number of waiting jobs in the field `queue` of a moment. */
const QUEUE_LIMIT = 200

/** Returns a log's state as a `Moment` of the page. @param numbers place of each read job in submit order, by id */
export function momentOf(state: LogState, numbers: Pick<JobNumbers, 'get'>): Packed {
  const numberOf = (job: string): number => numbers.get(job) ?? noOwner.unread
  const running = [...state.running.values()].map(({ submit, allocate, progress }) => ({
    job: submit.job,
    number: numberOf(submit.job),
    size: submit.size,
    start: allocate.t,
    expectedEnd: expectedEnd({ submit, allocate }) ?? null,
    nodes: allocate.nodes,
    rate: progress?.rate ?? 1000,
  }))
  const reservations = [...state.reservations.values()].map(({ job, start, nodes, links = [], seq }) => ({
    job,
    number: numberOf(job),
    start,
    nodes,
    links,
    seq,
  }))
  return {
    json: {
      seq: state.seq,
      t: state.t,
      free: state.freeNodes.size,
      down: state.downNodes.size,
      waiting: state.waiting.size,
      smallest: smallestOf(state),
      running,
      ...linksHeld(state),
      queue: queueOf(state, numberOf),
      reservations,
      downRails: state.downRails.flatMap((ofLevel, level) =>
        [...ofLevel].map(([link, rails]) => [level, link, formatIdset(rails)]),
      ),
    },
    arrays: { nodeOwners: nodeOwners(state, numberOf), linkOwners: linkOwners(state, numberOf) },
  }
}

function linksHeld({ header, running }: LogState): { readonly leafLinks: number; readonly upperLinks: number } {
  let [leafLinks, upperLinks] = [0, 0]
  if (header.policy.claims.links === 'owned')
    for (const { links } of running.values())
      for (const [level, { length }] of links.entries())
        if (level === 0) leafLinks += length
        else upperLinks += length
  return { leafLinks, upperLinks }
}

function smallestOf({ waiting }: LogState): number | null {
  let smallest = Infinity
  // A job requests at least 1 node, and often one of the first waiting jobs requests 1 node.
  for (const { size } of firstWaiting(waiting)) smallest = Math.min(smallest, size)
  if (smallest === 1) return 1
  // A hundred thousand jobs may wait. `forEach` visits all jobs in a fifth of the time of an iterator.
  waiting.forEach(({ size }) => {
    smallest = Math.min(smallest, size)
  })
  return waiting.size === 0 ? null : smallest
}

function firstWaiting(waiting: LogState['waiting']): ReadonlyArray<Submit> {
  const first: Array<Submit> = []
  for (const submit of waiting.values()) {
    if (first.length === QUEUE_LIMIT) break
    first.push(submit)
  }
  return first
}

function queueOf({ waiting }: LogState, numberOf: (job: string) => number): ReadonlyArray<unknown> {
  return firstWaiting(waiting).map(({ job, size, t, estimate = null }) => ({
    job,
    number: numberOf(job),
    size,
    submitted: t,
    estimate,
  }))
}

function nodeOwners(state: LogState, numberOf: (job: string) => number): Int32Array {
  const owners = new Int32Array(state.topology.nodes).fill(noOwner.free)
  for (const { submit, nodes } of state.running.values()) {
    const number = numberOf(submit.job)
    for (const node of nodes) owners[node] = number
  }
  for (const node of state.downNodes) owners[node] = noOwner.down
  return owners
}

function linkOwners(state: LogState, numberOf: (job: string) => number): Int32Array {
  const { levels } = state.topology
  const isCapped = state.header.policy.claims.links === 'capped'
  const firstOf = levels.map((_, level) => levels.slice(0, level).reduce((sum, { links }) => sum + links, 0))
  const owners = new Int32Array(firstOf.at(-1)! + levels.at(-1)!.links).fill(isCapped ? 0 : noOwner.free)
  for (const { submit, links, allocate } of state.running.values()) {
    const number = numberOf(submit.job)
    links.forEach((ids, level) => {
      for (const link of ids) {
        if (isCapped) owners[firstOf[level] + link] += allocate.bandwidth ?? 0
        else owners[firstOf[level] + link] = number
      }
    })
  }
  state.downLinks.forEach((ids, level) => {
    for (const link of ids) owners[firstOf[level] + link] = noOwner.down
  })
  return owners
}

const known = new WeakMap<Moment, Readonly<Record<TimelineFigure, number>>>()

/** Returns the figures of a timeline (busy nodes, waiting jobs, …) at a moment, also at a record within an instant. */
export function figuresOf(moment: Moment, topology: Topology): Readonly<Record<TimelineFigure, number>> {
  // A dozen numbers of the page need the figures of the same moment, so the figures are cached.
  const figures = known.get(moment) ?? counted(moment, topology)
  known.set(moment, figures)
  return figures
}

function counted(
  { running, free, down, waiting, smallest, nodeOwners, leafLinks, upperLinks }: Moment,
  { nodes, firstNodeOfLeaf, firstLeafOfPod, leaves, pods }: Topology,
): Readonly<Record<TimelineFigure, number>> {
  const busy = running.reduce((sum, { size }) => sum + size, 0)
  const isWhole = (first: number, end: number): boolean => {
    for (let node = first; node < end; node++) if (nodeOwners[node] !== noOwner.free) return false
    return true
  }
  let [wholeLeaves, wholePods] = [0, 0]
  for (let leaf = 0; leaf < leaves; leaf++) if (isWhole(firstNodeOfLeaf[leaf], firstNodeOfLeaf[leaf + 1])) wholeLeaves++
  for (let pod = 0; pod < pods; pod++)
    if (isWhole(firstNodeOfLeaf[firstLeafOfPod[pod]], firstNodeOfLeaf[firstLeafOfPod[pod + 1]])) wholePods++
  const external = waiting > 0 ? free : 0
  const tooFewNodes = smallest !== null && smallest > free ? free : 0
  return {
    busy,
    internal: nodes - free - down - busy,
    idle: free,
    external,
    noJob: free - external,
    tooFewNodes,
    fragmented: external - tooFewNodes,
    down,
    wholeLeaves,
    wholePods,
    waiting,
    slowed: running.reduce((sum, { size, rate }) => sum + (rate < 1000 ? size : 0), 0),
    leafLinks,
    upperLinks,
  }
}

/** Numbers of held nodes, of nodes down, and of free nodes on partly used leaves, leaf by leaf. */
export interface LeafUse {
  readonly held: Int32Array
  readonly down: Int32Array
  /**
   * Free nodes on partly used leaves: leaves with a held node, a node that is down, or an uplink that is held or down.
   * 0 for any other leaf. No request for whole leaves can use these free nodes.
   */
  readonly partialLeafFree: Int32Array
}

/** Counts the nodes of `LeafUse` leaf by leaf. @param leafLinks owners of uplinks; undefined if jobs share links */
export function leafUse(
  { leaves, firstNodeOfLeaf, levels }: Topology,
  nodeOwners: Int32Array,
  leafLinks: Int32Array | undefined,
): LeafUse {
  const [held, down, partialLeafFree] = Array.from({ length: 3 }, () => new Int32Array(leaves))
  const firstPort = levels[0]?.firstPort
  for (let leaf = 0; leaf < leaves; leaf++) {
    let free = 0
    for (let node = firstNodeOfLeaf[leaf]; node < firstNodeOfLeaf[leaf + 1]; node++)
      if (nodeOwners[node] === noOwner.free) free++
      else if (nodeOwners[node] === noOwner.down) down[leaf]++
      else held[leaf]++
    let isWhole = held[leaf] + down[leaf] === 0
    if (isWhole && leafLinks !== undefined && firstPort !== undefined)
      for (let link = firstPort[leaf]; link < firstPort[leaf + 1]; link++) isWhole &&= leafLinks[link] === noOwner.free
    if (!isWhole) partialLeafFree[leaf] = free
  }
  return { held, down, partialLeafFree }
}
