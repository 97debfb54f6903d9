import { computed, type ReadonlySignal } from '@preact/signals'
import { spanFlags } from '../../run/questions.ts'
import { reveal } from './reveal.ts'
import type { RunClient } from './run-client.ts'
import { activeRun, runs, select } from './session.ts'
import { cursor, selectedJob } from './view-state.ts'

/** A job that both compared runs have, and its waits until its first start, in seconds; undefined for no start. */
export interface JobInBoth {
  readonly job: string
  readonly size: number
  readonly waitA: number | undefined
  readonly waitB: number | undefined
}

interface Comparison {
  /** Jobs about which the runs decide differently, with the time of the first difference, sorted by time. */
  readonly divergences: ReadonlyArray<{ readonly t: number; readonly job: string }>
  readonly jobs: ReadonlyArray<JobInBoth>
  /** Mean of `waitB - waitA` over the jobs that start in both runs, in seconds; undefined without such a job. */
  readonly mean: number | undefined
  readonly sooner: number
  readonly same: number
  readonly later: number
  /** Up to 12 jobs whose waits in run b are shorter by most, the greatest difference first. */
  readonly winners: ReadonlyArray<JobInBoth & { readonly change: number }>
  /** Up to 12 jobs whose waits in run b are longer by most, the greatest difference first. */
  readonly losers: ReadonlyArray<JobInBoth & { readonly change: number }>
}

/** Decision of a run about a job: the job's first start in seconds, and the nodes of this start as an idset. */
interface Decision {
  readonly start: number
  readonly nodes: string
  readonly isBackfilled: boolean
  /** Time in seconds at which the job ends; undefined if the job still runs at the end of the log. */
  readonly end: number | undefined
}

/** Returns the decision of a run about a job; undefined if the job does not start in the run. */
export function decisionOf(run: RunClient, job: string): Decision | undefined {
  const number = run.numbers.get(job)
  const [span] = number === undefined ? [] : run.spansOf(number)
  if (span === undefined) return undefined
  const nodes: Array<string> = []
  for (let at = run.rangesFrom.at(span); at < run.rangesFrom.at(span + 1); at += 2) {
    const [first, last] = [run.ranges.at(at), run.ranges.at(at + 1)]
    nodes.push(first === last ? `${first}` : `${first}-${last}`)
  }
  const end = run.ends.at(span)
  return {
    start: run.starts.at(span),
    nodes: nodes.join(),
    isBackfilled: (run.flags.at(span) & spanFlags.backfilled) !== 0,
    end: Number.isNaN(end) ? undefined : end,
  }
}

const NAMED = 12

/**
 * Compares start, nodes and end of the first span of each job that two runs have in common. If a log has a part of a
 * run, later starts and ends are unknown, and count as no difference.
 */
export function compareRuns(a: RunClient, b: RunClient): Comparison {
  const until = Math.min(...[a, b].map((run) => run.overview.peek()?.header.part?.until ?? Infinity))
  const [firstA, firstB] = [firstSpans(a, until), firstSpans(b, until)]
  const divergences: Array<{ readonly t: number; readonly job: string }> = []
  const jobs: Array<JobInBoth> = []
  for (const [number, job] of a.ids.entries()) {
    const other = b.numbers.get(job)
    if (other === undefined) continue
    const [spanA, spanB] = [firstA[number], firstB[other]]
    const t = divergenceOf(a, spanA, b, spanB, until)
    if (t !== undefined) divergences.push({ t, job })
    jobs.push({ job, size: a.sizes.at(number), waitA: waitOf(a, number, spanA), waitB: waitOf(b, other, spanB) })
  }
  divergences.sort((one, another) => one.t - another.t)
  return { divergences, jobs, ...summarise(jobs) }
}

function summarise(jobs: ReadonlyArray<JobInBoth>): Omit<Comparison, 'divergences' | 'jobs'> {
  const changed = jobs.flatMap((each) =>
    each.waitA === undefined || each.waitB === undefined
      ? []
      : [{ ...each, change: Math.round((each.waitB - each.waitA) * 1000) / 1000 }],
  )
  changed.sort((one, another) => one.change - another.change)
  const counted = (test: (change: number) => boolean): number =>
    changed.reduce((sum, { change }) => sum + (test(change) ? 1 : 0), 0)
  return {
    mean: changed.length === 0 ? undefined : changed.reduce((sum, { change }) => sum + change, 0) / changed.length,
    sooner: counted((change) => change < 0),
    same: counted((change) => change === 0),
    later: counted((change) => change > 0),
    winners: changed.slice(0, NAMED).filter(({ change }) => change < 0),
    losers: changed
      .slice(-NAMED)
      .reverse()
      .filter(({ change }) => change > 0),
  }
}

/** Returns for each job its first span that starts at or before the time `until`; -1 for a job without such a span. */
function firstSpans(run: RunClient, until: number): Int32Array {
  const first = new Int32Array(run.ids.length).fill(-1)
  for (let span = run.spans - 1; span >= 0; span--)
    if (run.starts.at(span) <= until) first[run.spanJobs.at(span)] = span
  return first
}

function waitOf(run: RunClient, job: number, span: number): number | undefined {
  return span < 0 ? undefined : run.starts.at(span) - run.submits.at(job)
}

/** Returns the first time up to `until` at which two runs differ on a job's start, nodes or end; undefined if none. */
function divergenceOf(a: RunClient, spanA: number, b: RunClient, spanB: number, until: number): number | undefined {
  if (spanA < 0 && spanB < 0) return undefined
  if (spanA < 0) return b.starts.at(spanB)
  if (spanB < 0) return a.starts.at(spanA)
  if (a.starts.at(spanA) !== b.starts.at(spanB) || !haveSameNodes(a, spanA, b, spanB))
    return Math.min(a.starts.at(spanA), b.starts.at(spanB))
  const ends = [a.ends.at(spanA), b.ends.at(spanB)]
  if (Object.is(ends[0], ends[1])) return undefined
  // NaN means an unknown end: the job still runs at the end of the log, or at the end of the log's part of a run.
  const first = Math.min(...ends.filter((end) => end <= until))
  return first === Infinity ? undefined : first
}

function haveSameNodes(a: RunClient, spanA: number, b: RunClient, spanB: number): boolean {
  const [fromA, fromB] = [a.rangesFrom.at(spanA), b.rangesFrom.at(spanB)]
  const length = a.rangesFrom.at(spanA + 1) - fromA
  if (b.rangesFrom.at(spanB + 1) - fromB !== length) return false
  for (let at = 0; at < length; at++) if (a.ranges.at(fromA + at) !== b.ranges.at(fromB + at)) return false
  return true
}

/** The run that is compared with the first run: the active run, or the second run if the first run is active. */
export const otherRun: ReadonlySignal<RunClient | undefined> = computed(() =>
  activeRun.value === runs.value[0] ? runs.value[1] : activeRun.value,
)

/** Returns the run with which a run is compared: the first run, or for the first run `otherRun`. */
export function partnerOf(run: RunClient): RunClient | undefined {
  return run === runs.value[0] ? otherRun.value : runs.value[0]
}

/** The shown runs with a known machine: views of several runs have one scale, which suits all of these runs. */
export const scaledRuns: ReadonlySignal<ReadonlyArray<RunClient>> = computed(() =>
  runs.value.filter((run) => run.overview.value !== undefined),
)

/** Comparison of the first run with `otherRun`; undefined until both logs are read. */
export const comparison: ReadonlySignal<Comparison | undefined> = computed(() => {
  const [a, b] = [runs.value[0], otherRun.value]
  if (a === undefined || b === undefined) return undefined
  const isRead = [a, b].every(
    (run) => run.overview.value !== undefined && run.overview.value.status !== 'reading' && run.version.value > 0,
  )
  return isRead ? compareRuns(a, b) : undefined
})

/** Moves the cursor to the next or previous difference between the compared runs, job by job, and selects the job. */
export function jumpToDivergence(direction: 1 | -1): void {
  const { divergences = [] } = comparison.peek() ?? {}
  const { t } = cursor.peek()
  const here = divergences.findIndex((each) => each.t === t && each.job === selectedJob.peek())
  const next =
    here >= 0
      ? divergences[here + direction]
      : direction === 1
        ? divergences.find((each) => each.t >= t)
        : divergences.findLast((each) => each.t <= t)
  if (next === undefined) return
  reveal({ kind: 'time', t: next.t })
  select(next.job, false)
}
