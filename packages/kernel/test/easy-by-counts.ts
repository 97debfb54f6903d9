/**
 * Textbook EASY backfilling by counts of free nodes, for a machine whose free nodes are all equivalent. The model
 * shares no code with the kernel. The model's starts equal the starts of pyss (Feitelson's group; one scheduling pass
 * an instant) on the logs named in real-logs.test.ts.
 */
export interface CountedJob {
  readonly submit: number
  readonly size: number
  readonly estimate: number
  /** Run time: above 0, and not above the estimate. */
  readonly runTime: number
}

/** Returns the start time of each job. The submit times of `jobs` must ascend. */
export function startsByCounts(jobs: ReadonlyArray<CountedJob>, nodes: number): ReadonlyArray<number> {
  const starts = new Array<number>(jobs.length).fill(-1)
  const ends = new Map<number, number[]>()
  let times: ReadonlyArray<number> = []
  let running: ReadonlyArray<number> = []
  let waiting: ReadonlyArray<number> = []
  let free = nodes
  let submitted = 0
  const expectedEnd = (job: number): number => starts[job] + jobs[job].estimate
  const start = (job: number, now: number): void => {
    starts[job] = now
    free -= jobs[job].size
    running = [...running, job]
    const end = now + jobs[job].runTime
    if (!ends.has(end)) times = [...times, end].sort((a, b) => a - b)
    ends.set(end, [...(ends.get(end) ?? []), job])
  }
  /** Returns the shadow time of the head, and the number of nodes that are still free after the head's start then. */
  const shadowOf = (head: number): { readonly shadow: number; readonly spare: number } => {
    let then = free
    const byEnd = [...running].sort((a, b) => expectedEnd(a) - expectedEnd(b))
    for (const [i, job] of byEnd.entries()) {
      then += jobs[job].size
      const isLastOfInstant = i + 1 === byEnd.length || expectedEnd(byEnd[i + 1]) !== expectedEnd(job)
      if (isLastOfInstant && then >= jobs[head].size) return { shadow: expectedEnd(job), spare: then - jobs[head].size }
    }
    throw new Error(`job ${head} is larger than the machine`)
  }
  const pass = (now: number): void => {
    while (waiting.length > 0 && jobs[waiting[0]].size <= free) {
      start(waiting[0], now)
      waiting = waiting.slice(1)
    }
    if (waiting.length === 0) return
    const behind = shadowOf(waiting[0])
    const { shadow } = behind
    let { spare } = behind
    for (const job of waiting.slice(1)) {
      const { size, estimate } = jobs[job]
      const endsInTime = now + estimate <= shadow
      if (size > free || !(endsInTime || size <= spare)) continue
      if (!endsInTime) spare -= size
      start(job, now)
    }
    waiting = waiting.filter((job) => starts[job] < 0)
  }
  while (submitted < jobs.length || times.length > 0) {
    const now = Math.min(times[0] ?? Infinity, jobs[submitted]?.submit ?? Infinity)
    for (const job of ends.get(now) ?? []) {
      free += jobs[job].size
      running = running.filter((other) => other !== job)
    }
    if (ends.delete(now)) times = times.slice(1)
    const arrived: number[] = []
    while (jobs[submitted]?.submit === now) arrived.push(submitted++)
    waiting = [...waiting, ...arrived]
    pass(now)
  }
  return starts
}
