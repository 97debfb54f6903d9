import { type Abgr, type ColorBy, jobColor } from '../drawing/colors.ts'
import type { RunClient } from '../state/run-client.ts'
import { spanColors } from './span-colors.ts'

/** Returns a function from a job number to the job's colour at time t; undefined if no start up to t is read. */
export function jobColors(run: RunClient, by: ColorBy, t: number): (job: number) => Abgr | undefined {
  if (by === 'job') return jobColor
  const { last, before } = lastSpansOf(run)
  const colorOf = spanColors(run, by)
  const colors = new Map<number, Abgr | undefined>()
  return (job) => {
    if (colors.has(job)) return colors.get(job)
    let span = job < last.length ? last[job] : -1
    while (span >= 0 && run.starts.at(span) > t) span = before[span]
    const color = span < 0 ? undefined : colorOf(span)
    colors.set(job, color)
    return color
  }
}

/** Last span of each job, and for each span the previous span of the same job; -1 stands for no span. */
interface LastSpans {
  readonly version: number
  readonly last: Int32Array
  readonly before: Int32Array
}
const known = new WeakMap<RunClient, LastSpans>()

function lastSpansOf(run: RunClient): LastSpans {
  const version = run.version.peek()
  const found = known.get(run)
  if (found?.version === version) return found
  const [last, before] = [run.ids.length, run.spans].map((length) => new Int32Array(length).fill(-1))
  for (let span = 0; span < run.spans; span++) {
    const job = run.spanJobs.at(span)
    before[span] = last[job]
    last[job] = span
  }
  const made = { version, last, before }
  known.set(run, made)
  return made
}
