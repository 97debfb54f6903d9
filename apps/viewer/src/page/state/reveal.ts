import { batch } from '@preact/signals'
import type { Place } from '../controls/places.ts'
import { rememberPlace } from './address.ts'
import type { RunClient } from './run-client.ts'
import { activeRun, moveTo, moveToRecord, revealNodes, select, showTimes, visible, whole } from './session.ts'
import { cursor, pod, rows, shownLink, type Side, type Span, zoom } from './view-state.ts'

/**
 * Part of the run to be brought into view: a time, a record, a job, an area, a length of visible times, or a part of the
 * machine. The cursor is in the middle of visible times without a begin `from`.
 */
type Target =
  | { readonly kind: 'time'; readonly t: number }
  | { readonly kind: 'record'; readonly seq: number; readonly on: Side }
  | { readonly kind: 'job'; readonly run: RunClient; readonly job: string }
  | { readonly kind: 'area'; readonly times: Span; readonly nodes: Span }
  | { readonly kind: 'times'; readonly length: number; readonly from: number | undefined }
  | { readonly kind: 'place'; readonly run: RunClient; readonly place: Place; readonly t?: number | undefined }

/** Brings time, nodes and selection of a target into view. The browser's back button returns to the place before. */
export function reveal(target: Target): void {
  rememberPlace()
  batch(() => {
    switch (target.kind) {
      case 'time':
        return moveTo(target.t)
      case 'record':
        return moveToRecord(target.seq, target.on)
      case 'job':
        return revealJob(target.run, target.job)
      case 'area':
        rows.value = target.nodes
        return showTimes(target.times.from, target.times.to - target.times.from)
      case 'times':
        if (target.from !== undefined) moveTo(target.from)
        return showTimes(target.from ?? cursor.peek().t - target.length / 2, target.length)
      case 'place':
        if (target.t !== undefined) moveTo(target.t)
        return revealPlace(target.run, target.place)
    }
  })
}

function revealJob(run: RunClient, job: string): void {
  const number = run.numbers.get(job)
  if (number === undefined) return
  select(job, false)
  const [span] = run.spansOf(number)
  moveTo(span === undefined ? run.submits.at(number) : run.starts.at(span))
  if (span !== undefined) revealNodes(run, span)
}

function revealPlace(run: RunClient, place: Place): void {
  const { nodes, leafOfNode, podOfLeaf, firstNodeOfLeaf } = run.topology
  if (place.kind === 'link') {
    shownLink.value = { level: place.level, link: place.link }
    pod.value = podOfLeaf[place.leaf]
    return void (rows.value = around(firstNodeOfLeaf[place.leaf], firstNodeOfLeaf[place.leaf + 1], nodes))
  }
  pod.value = podOfLeaf[leafOfNode[place.from]]
  // A pod fills the chart of jobs, so that panels about the visible nodes are about this pod.
  rows.value = place.isPod ? { from: place.from, to: place.to } : around(place.from, place.to, nodes)
}

/** Zooms to the time of a job from submit to end, and to its nodes. */
export function zoomToJob(run: RunClient, job: string): void {
  const area = areaOfJob(run, job)
  if (area !== undefined) reveal({ kind: 'area', ...area })
}

/** Returns the times from a job's submit to its end, and its nodes (all nodes before a start); undefined if unknown. */
function areaOfJob(
  run: Pick<RunClient, 'numbers' | 'submits' | 'spansOf' | 'starts' | 'ends' | 'rangesFrom' | 'ranges' | 'topology'>,
  job: string,
  { from: begin, to: now }: Span = whole.peek(),
): { readonly times: Span; readonly nodes: Span } | undefined {
  const number = run.numbers.get(job)
  if (number === undefined) return undefined
  let [from, to, first, last] = [run.submits.at(number), run.submits.at(number), Infinity, -1]
  for (const span of run.spansOf(number)) {
    to = Math.max(to, Number.isNaN(run.ends.at(span)) ? now : run.ends.at(span))
    for (let at = run.rangesFrom.at(span); at < run.rangesFrom.at(span + 1); at += 2) {
      first = Math.min(first, run.ranges.at(at))
      last = Math.max(last, run.ranges.at(at + 1))
    }
  }
  if (last < 0) {
    to = Math.max(now, from + 1)
    return { times: { from: Math.max(begin, from), to }, nodes: { from: 0, to: run.topology.nodes } }
  }
  const margin = Math.max(1, (to - from) * 0.1)
  return {
    times: { from: Math.max(begin, from - margin), to: to + margin },
    nodes: around(first, last + 1, run.topology.nodes),
  }
}

/** Returns a range of nodes, widened at both ends by half of its length and at least two nodes. */
function around(from: number, to: number, nodes: number): Span {
  const margin = Math.max(2, (to - from) / 2)
  return { from: Math.max(0, Math.floor(from - margin)), to: Math.min(nodes, Math.ceil(to + margin)) }
}

/** Shows all times and all nodes. */
export function revealAll(): void {
  rememberPlace()
  batch(() => {
    zoom.value = undefined
    rows.value = undefined
  })
}

/**
 * Moves the cursor to the visible time with most fragmented nodes: idle nodes while a waiting job needs no more nodes.
 * If no node is fragmented at a visible time, moves the cursor to the time with most idle nodes while a job waits.
 */
export async function goToWorst(): Promise<void> {
  const run = activeRun.peek()
  if (run === undefined) return
  const { from, to } = visible.peek()
  try {
    for (const figure of ['fragmented', 'external'] as const) {
      const { moment } = await run.answerer.ask('worst', { figure, from, to })
      if (moment !== null) return reveal({ kind: 'time', t: moment.t })
    }
  } catch (error) {
    run.fails(error)
  }
}
