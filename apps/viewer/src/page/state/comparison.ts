import { spanFlags } from '../../run/questions.ts'
import type { RunClient } from './run-client.ts'

/** A job in both runs. Waits in seconds until the first start; undefined where it does not start. */
export interface JobInBoth {
  readonly job: string
  readonly size: number
  readonly waitA: number | undefined
  readonly waitB: number | undefined
}

export interface Comparison {
  /** When and for which job the two first decide differently, and again for each further job, by time. */
  readonly divergences: ReadonlyArray<{ readonly t: number; readonly job: string }>
  readonly jobs: ReadonlyArray<JobInBoth>
  /** Seconds that jobs wait longer in b, over those that start in both. */
  readonly mean: number | undefined
  readonly sooner: number
  readonly same: number
  readonly later: number
  /** The jobs that gain and lose most in b. */
  readonly winners: ReadonlyArray<JobInBoth & { readonly change: number }>
  readonly losers: ReadonlyArray<JobInBoth & { readonly change: number }>
}

/** What a run decided about a job: its first start and nodes, as an idset; undefined where it does not start. Seconds. */
export interface Decision {
  readonly start: number
  readonly nodes: string
  readonly isBackfilled: boolean
  /** Undefined where it still runs. */
  readonly end: number | undefined
}

/** @returns undefined where the job does not start in the run, or the run has no such job */
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
 * Compares the jobs that both runs have; if a job ran several times, its first run. Of a part of a run nothing is known after
 * the part, so starts and ends after it are no differences.
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

/** The first span of each job that starts by a time; -1 if there is none. */
function firstSpans(run: RunClient, until: number): Int32Array {
  const first = new Int32Array(run.ids.length).fill(-1)
  for (let span = run.spans - 1; span >= 0; span--)
    if (run.starts.at(span) <= until) first[run.spanJobs.at(span)] = span
  return first
}

function waitOf(run: RunClient, job: number, span: number): number | undefined {
  return span < 0 ? undefined : run.starts.at(span) - run.submits.at(job)
}

/** When the runs first differ on a job: it starts at another time, on other nodes, or ends at another time. */
function divergenceOf(a: RunClient, spanA: number, b: RunClient, spanB: number, until: number): number | undefined {
  if (spanA < 0 && spanB < 0) return undefined
  if (spanA < 0) return b.starts.at(spanB)
  if (spanB < 0) return a.starts.at(spanA)
  if (a.starts.at(spanA) !== b.starts.at(spanB) || !haveSameNodes(a, spanA, b, spanB))
    return Math.min(a.starts.at(spanA), b.starts.at(spanB))
  const ends = [a.ends.at(spanA), b.ends.at(spanB)]
  if (Object.is(ends[0], ends[1])) return undefined
  // An end that is not known is NaN: the run goes on, or its part is over.
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
