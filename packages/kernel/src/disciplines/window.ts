import type { Dispatcher } from '../dispatcher.ts'
import type { EasyBackfill } from '../simulation.ts'

/** Returns the jobs of the window behind the head in window order; ties in queue order. */
export function windowBehind<Index>(
  { waiting, jobs, requests }: Dispatcher<Index>,
  head: number,
  window: number,
  windowOrder: NonNullable<EasyBackfill['windowOrder']>,
): ReadonlyArray<number> {
  const behind: Array<number> = []
  for (let job = waiting.after(head); behind.length < window && job !== undefined; job = waiting.after(job))
    behind.push(job)
  switch (windowOrder) {
    case 'largest':
      return behind.sort((a, b) => jobs[b].size - jobs[a].size)
    case 'smallest':
      return behind.sort((a, b) => jobs[a].size - jobs[b].size)
    case 'shortest':
      return behind.sort((a, b) => requests.estimate(a) - requests.estimate(b))
  }
}
