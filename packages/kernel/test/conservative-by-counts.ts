/**
 * Textbook conservative backfilling by counts of free nodes, for a machine whose free nodes are all equivalent. The
 * model shares no code with the kernel. The model's starts equal the starts of pyss (one scheduling pass an instant) on
 * the logs named in real-logs.test.ts.
 */
import type { CountedJob } from './easy-by-counts.ts'

/** Returns the start time of each job. The submit times of `jobs` must ascend. */
export function conservativeStartsByCounts(jobs: ReadonlyArray<CountedJob>, nodes: number): ReadonlyArray<number> {
  const starts = new Array<number>(jobs.length).fill(-1)
  /** Number of free nodes from each time on, up to the time of the next step. */
  const times = [0]
  const free = [nodes]
  const stepAt = (time: number): number => {
    let at = times.length - 1
    while (times[at] > time) at--
    if (times[at] === time) return at
    at++
    times.splice(at, 0, time)
    free.splice(at, 0, free[at - 1])
    return at
  }
  const take = (job: number, from: number, to: number, sign: 1 | -1): void => {
    const first = stepAt(from)
    const last = stepAt(to)
    for (let step = first; step < last; step++) free[step] -= sign * jobs[job].size
  }
  const expectedEnd = (job: number): number => starts[job] + jobs[job].estimate
  const reserve = (job: number, now: number): void => {
    const { size, estimate } = jobs[job]
    // Search for the earliest start: if a step of the curve has too few free nodes, the start moves to the next step.
    starts[job] = now
    for (let step = 0; times[step] < starts[job] + estimate; step++)
      if (free[step] < size && times[step + 1] > now) starts[job] = times[step + 1]
    take(job, starts[job], expectedEnd(job), 1)
  }
  const running = new Set<number>()
  let reserved: ReadonlyArray<number> = []
  let submitted = 0
  while (submitted < jobs.length || reserved.length > 0 || running.size > 0) {
    const end = (job: number): number => starts[job] + jobs[job].runTime
    const now = Math.min(
      jobs[submitted]?.submit ?? Infinity,
      ...reserved.map((job) => starts[job]),
      ...[...running].map(end),
    )
    const past = times.findLastIndex((each) => each <= now)
    times.splice(0, past)
    free.splice(0, past)
    let isEarly = false
    for (const job of running) {
      if (end(job) !== now) continue
      running.delete(job)
      if (expectedEnd(job) === now) continue
      isEarly = true
      take(job, now, expectedEnd(job), -1)
    }
    for (const job of isEarly ? reserved : []) {
      if (starts[job] <= now) continue
      take(job, starts[job], expectedEnd(job), -1)
      reserve(job, now)
    }
    while (jobs[submitted]?.submit === now) {
      reserve(submitted, now)
      reserved = [...reserved, submitted++]
    }
    for (const job of reserved) if (starts[job] === now) running.add(job)
    reserved = reserved.filter((job) => starts[job] > now)
  }
  return starts
}
