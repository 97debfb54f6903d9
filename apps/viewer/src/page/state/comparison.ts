import { spanFlags } from '../../run/questions.ts'
import type { RunClient } from './run-client.ts'

/** A job in both runs. Waits until the first start, in seconds; undefined if the job does not start. */
export interface JobInBoth {
  readonly job: string
  readonly size: number
  readonly waitA: number | undefined
  readonly waitB: number | undefined
}

export interface Comparison {
  /** Time of the first different decision about each job, sorted by time; jobs without a difference are left out. */
  readonly divergences: ReadonlyArray<{ readonly t: number; readonly job: string }>
  readonly jobs: ReadonlyArray<JobInBoth>
  /** Mean of the longer wait in b over the jobs that start in both runs, in seconds; undefined without such jobs. */
  readonly mean: number | undefined
  readonly sooner: number
  readonly same: number
  readonly later: number
  /** Jobs that gain most in b. */
  readonly winners: ReadonlyArray<JobInBoth & { readonly change: number }>
  /** Jobs that lose most in b. */
  readonly losers: ReadonlyArray<JobInBoth & { readonly change: number }>
}

/** Decision of a run about a job: its first start and its nodes as an idset. Times are in seconds. */
export interface Decision {
  readonly start: number
  readonly nodes: string
  readonly isBackfilled: boolean
  /** End of the run; undefined if the job still runs. */
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
 * Compares the jobs that both runs have, by their first runs. Nothing is known after a part of a run, so starts and
 * ends after the part are no differences.
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

/** Returns the first span of each job that starts by a time; -1 if there is none. */
function firstSpans(run: RunClient, until: number): Int32Array {
  const first = new Int32Array(run.ids.length).fill(-1)
  for (let span = run.spans - 1; span >= 0; span--)
    if (run.starts.at(span) <= until) first[run.spanJobs.at(span)] = span
  return first
}

function waitOf(run: RunClient, job: number, span: number): number | undefined {
  return span < 0 ? undefined : run.starts.at(span) - run.submits.at(job)
}

/** Returns the first time at which the runs differ on a job: different starts, different nodes or different ends. */
function divergenceOf(a: RunClient, spanA: number, b: RunClient, spanB: number, until: number): number | undefined {
  if (spanA < 0 && spanB < 0) return undefined
  if (spanA < 0) return b.starts.at(spanB)
  if (spanB < 0) return a.starts.at(spanA)
  if (a.starts.at(spanA) !== b.starts.at(spanB) || !haveSameNodes(a, spanA, b, spanB))
    return Math.min(a.starts.at(spanA), b.starts.at(spanB))
  const ends = [a.ends.at(spanA), b.ends.at(spanB)]
  if (Object.is(ends[0], ends[1])) return undefined
  // NaN means an unknown end: the job still runs, or its part of the run is over.
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
