import { Draw } from '@cloister/placement/checks'
import { bindOrder } from '../bind.ts'
import type { QueueOrder } from '../contract.ts'
import { type QueueRows, queueView, type RunRow, scoresOf, type WaitingRow } from './views.ts'

const NODES = 32
const JOBS = 400
const MINUTE = 60_000
/** Mean time between submissions: the jobs ask for about 1.2 times the machine. */
const GAP = 21 * MINUTE
const users = ['ada', 'bea', 'bea', 'cem', 'cem', 'cem', 'cem']

/**
 * Returns the waits of all jobs of a small saturated queue in ms, ascending. 400 jobs of seven sizes arrive in about six
 * days on a machine of 32 nodes. Jobs start in the order of the scores, and no job passes the head. The last wait tells
 * whether the order lets some jobs starve.
 *
 * @throws OrderError if the order does not accept the config
 */
export function waitsUnder(order: QueueOrder<any>, config: unknown = {}): ReadonlyArray<number> {
  const { ordering } = bindOrder(order, { nodes: NODES }, config)
  const names: Array<string> = []
  const coming = drawJobs()
  const ended: Array<RunRow> = []
  const waits: Array<number> = []
  let [waiting, running, now, free]: [Array<Job>, Array<RunRow>, number, number] = [[], [], 0, NODES]
  while (coming.length + waiting.length > 0) {
    const next = running.reduce((least, { end }) => Math.min(least, end), coming[0]?.submitted ?? Infinity)
    now = Math.max(now, next)
    for (const run of running.filter(({ end }) => end <= now)) ended.push(run)
    running = running.filter(({ end }) => end > now)
    while (coming.length > 0 && coming[0].submitted <= now) waiting.push(coming.shift()!)
    const rows: QueueRows = { now, waiting, running, ended: ordering.claims.history === true ? ended : [] }
    const scores = scoresOf(ordering, queueView(rows, names))
    free = NODES - running.reduce((sum, { nodes }) => sum + nodes, 0)
    const places = Array.from(waiting.keys()).sort((a, b) =>
      scores[a] < scores[b] ? -1 : scores[a] > scores[b] ? 1 : a - b,
    )
    const started = new Set<Job>()
    for (const job of places.map((place) => waiting[place])) {
      if (job.size > free) break
      free -= job.size
      started.add(job)
      waits.push(now - job.submitted)
      running.push({ nodes: job.size, user: job.user, started: now, end: now + job.runTime })
    }
    waiting = waiting.filter((job) => !started.has(job))
  }
  return waits.sort((a, b) => a - b)
}

interface Job extends WaitingRow {
  readonly runTime: number
}

function drawJobs(): Array<Job> {
  const draw = new Draw(1)
  let submitted = 0
  return Array.from({ length: JOBS }, (_, number) => {
    submitted += draw.below(2 * GAP)
    const runTime = (1 + draw.below(180)) * MINUTE
    return {
      id: `${number}`,
      size: draw.pick([1, 1, 2, 4, 8, 16, 32]),
      estimate: 2 * runTime,
      runTime,
      submitted,
      user: draw.pick(users),
    }
  })
}
