import type { Topology } from '@cloister/topology'
import type { Outages } from '../../run/area.ts'
import type { SpanColumns } from './layers.ts'

/**
 * Number of free nodes on partly used leaves, pod by pod over time. A leaf is partly used if a node of the leaf is held
 * or down; links do not count. In each step, `t` is a time in seconds, `nodes` the number of free nodes on partly used
 * leaves from `t` on, and `before` the node-seconds of such nodes up to `t`.
 */
export interface PartialLeafFreeSteps {
  /** Time up to which the steps are known, in seconds. */
  readonly now: number
  /** Index of the first step of each pod, and the end of the last pod's steps. */
  readonly firstStep: Int32Array
  readonly t: Float64Array
  readonly nodes: Int32Array
  readonly before: Float64Array
}

/** Computes the `PartialLeafFreeSteps` of a run. @param now end, in seconds, of spans and outages that still last */
export function partialLeafFreeSteps(
  topology: Topology,
  columns: SpanColumns,
  outages: Outages,
  now: number,
): PartialLeafFreeSteps {
  const { pods, leaves, firstNodeOfLeaf, leafOfNode, podOfLeaf } = topology
  const takers = takersOf(columns, outages, now)
  const { starts, ends, rangesOf } = takers
  const [byStart, byEnd] = [inOrderOf(starts), inOrderOf(ends)]
  const taken = new Int32Array(leaves)
  const partialLeafFree = new Int32Array(pods)
  const steps = Array.from({ length: pods }, () => ({ t: [0], nodes: [0], before: [0] }))
  const touched = new Set<number>()
  const partialLeafFreeOn = (leaf: number): number => {
    const free = firstNodeOfLeaf[leaf + 1] - firstNodeOfLeaf[leaf] - taken[leaf]
    return taken[leaf] === 0 ? 0 : Math.max(0, free)
  }
  const change = (taker: number, by: 1 | -1): void => {
    rangesOf(taker, (first, last) => {
      for (let leaf = leafOfNode[first]; leaf <= leafOfNode[last]; leaf++) {
        const nodes = Math.min(last + 1, firstNodeOfLeaf[leaf + 1]) - Math.max(first, firstNodeOfLeaf[leaf])
        const before = partialLeafFreeOn(leaf)
        taken[leaf] += by * nodes
        partialLeafFree[podOfLeaf[leaf]] += partialLeafFreeOn(leaf) - before
        touched.add(podOfLeaf[leaf])
      }
    })
  }
  for (let [started, ended] = [0, 0]; ended < byEnd.length;) {
    const time = Math.min(ends[byEnd[ended]], started < byStart.length ? starts[byStart[started]] : Infinity)
    while (started < byStart.length && starts[byStart[started]] === time) change(byStart[started++], 1)
    while (ended < byEnd.length && ends[byEnd[ended]] === time) change(byEnd[ended++], -1)
    for (const pod of touched) addStep(steps[pod], time, partialLeafFree[pod])
    touched.clear()
  }
  return { now, ...inColumns(steps) }
}

interface StepsOfPod {
  readonly t: Array<number>
  readonly nodes: Array<number>
  readonly before: Array<number>
}

function addStep({ t, nodes, before }: StepsOfPod, time: number, partialLeafFree: number): void {
  const at = t.length - 1
  if (nodes[at] === partialLeafFree) return
  before.push(before[at] + nodes[at] * (time - t[at]))
  t.push(time)
  nodes.push(partialLeafFree)
}

function inColumns(steps: ReadonlyArray<StepsOfPod>): Omit<PartialLeafFreeSteps, 'now'> {
  const firstStep = new Int32Array(steps.length + 1)
  for (const [pod, { t }] of steps.entries()) firstStep[pod + 1] = firstStep[pod] + t.length
  const length = firstStep[steps.length]
  const made = { t: new Float64Array(length), nodes: new Int32Array(length), before: new Float64Array(length) }
  for (const [pod, { t, nodes, before }] of steps.entries()) {
    made.t.set(t, firstStep[pod])
    made.nodes.set(nodes, firstStep[pod])
    made.before.set(before, firstStep[pod])
  }
  return { firstStep, ...made }
}

/** Spans and outages in one numbering, spans first. A span or an outage makes its leaves partly used. */
interface Takers {
  readonly starts: Float64Array
  readonly ends: Float64Array
  readonly rangesOf: (taker: number, give: (first: number, last: number) => void) => void
}

function takersOf(columns: SpanColumns, outages: Outages, now: number): Takers {
  const { spans, rangesFrom, ranges } = columns
  const [starts, ends] = [0, 1].map(() => new Float64Array(spans + outages.first.length))
  for (let at = 0; at < starts.length; at++) {
    starts[at] = at < spans ? columns.starts.at(at) : outages.from[at - spans]
    const end = at < spans ? columns.ends.at(at) : outages.to[at - spans]
    ends[at] = Math.max(starts[at], Number.isNaN(end) ? now : end)
  }
  const rangesOf: Takers['rangesOf'] = (taker, give) => {
    if (taker >= spans) return give(outages.first[taker - spans], outages.last[taker - spans])
    for (let at = rangesFrom.at(taker); at < rangesFrom.at(taker + 1); at += 2) give(ranges.at(at), ranges.at(at + 1))
  }
  return { starts, ends, rangesOf }
}

/** Returns the indices of times in ascending order of the times. */
function inOrderOf(times: Float64Array): Uint32Array {
  const order = new Uint32Array(times.length).map((_, at) => at)
  return times.every((time, at) => at === 0 || times[at - 1] <= time)
    ? order
    : order.sort((a, b) => times[a] - times[b])
}

/**
 * Returns the share of pods' nodes that are free on partly used leaves, as a mean over each of `width` columns of equal
 * length. NaN for columns that begin after the time up to which the steps are known.
 *
 * @param among number of nodes of the pods from `firstPod` to before `endPod`
 */
export function partialLeafFreeShares(
  { now, firstStep, t, nodes, before }: PartialLeafFreeSteps,
  firstPod: number,
  endPod: number,
  among: number,
  { from, to, width }: { readonly from: number; readonly to: number; readonly width: number },
): Float64Array {
  const shares = new Float64Array(width)
  for (let pod = firstPod; pod < endPod; pod++) {
    let step = firstStep[pod]
    const until = (time: number): number => {
      while (step + 1 < firstStep[pod + 1] && t[step + 1] <= time) step++
      return before[step] + nodes[step] * Math.max(0, time - t[step])
    }
    let done = until(from)
    for (let x = 0; x < width; x++) {
      const next = until(from + ((x + 1) / width) * (to - from))
      shares[x] += next - done
      done = next
    }
  }
  const all = (among * (to - from)) / width
  return shares.map((each, x) => (from + (x / width) * (to - from) > now ? Number.NaN : each / all))
}
