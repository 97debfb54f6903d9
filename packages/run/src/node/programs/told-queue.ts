import type { QueueView, RunColumns } from '@cloister/ordering'

/** Waiting job in a message. An absent field stands for no estimate or no user. */
interface JobJson {
  readonly job: string
  readonly size: number
  readonly estimate?: number
  readonly submitted: number
  readonly user?: string
  /** Row of a job that joins before other jobs; absent if the job joins at the end. */
  readonly at?: number
}

/** Run of a job in a message. */
interface RunJson {
  readonly nodes: number
  readonly user?: string
  readonly started: number
  readonly end: number
}

/** Changes of the queue and of the history. Absent fields stand for no change. */
export interface QueueChanges {
  /** Rows of the jobs that left, descending. */
  readonly left?: ReadonlyArray<number>
  readonly joined?: ReadonlyArray<JobJson>
  /** Runs that have ended. */
  readonly ended?: ReadonlyArray<RunJson>
}

/** Waiting jobs and ended runs as a program knows them from earlier messages. */
export class ToldQueue {
  #waiting: ReadonlyArray<JobJson> = []
  #endedRuns = 0

  /** Number of ended runs that the program knows. */
  get endedRuns(): number {
    return this.#endedRuns
  }

  /** Returns the changes since the last call. The program knows the view afterwards. */
  tell(view: QueueView): QueueChanges {
    const before = this.#waiting
    const after: Array<JobJson> = []
    const left: Array<number> = []
    const joined: Array<JobJson> = []
    const ids = new Set(view.waiting.id.slice(0, view.waiting.length))
    let old = 0
    let kept = 0
    for (let row = 0; row < view.waiting.length; row++) {
      while (old < before.length && !ids.has(before[old].job)) left.push(old++)
      const known = before[old]
      if (known !== undefined && isRow(known, view, row)) {
        old++
        kept = row + 1
        after.push(known)
        continue
      }
      if (known?.job === view.waiting.id[row]) left.push(old++)
      const job = rowOf(view, row)
      joined.push({ ...job, at: row })
      after.push(job)
    }
    for (; old < before.length; old++) left.push(old)
    this.#waiting = after
    return {
      ...(left.length > 0 && { left: left.toReversed() }),
      ...(joined.length > 0 && { joined: joined.map(({ at, ...job }) => (at! < kept ? { ...job, at: at! } : job)) }),
      ...this.tellEnded(view),
    }
  }

  /** Returns the runs that ended since the last call. */
  tellEnded({ ended, users }: QueueView): QueueChanges {
    if (ended.length <= this.#endedRuns) return {}
    const runs = runsFrom(ended, this.#endedRuns, users)
    this.#endedRuns = ended.length
    return { ended: runs }
  }
}

/** Returns a row of the waiting jobs as a message has it. */
export function rowOf({ waiting, users }: QueueView, row: number): JobJson {
  const { id, size, estimate, submitted, user } = waiting
  return {
    job: id[row],
    size: size[row],
    ...(estimate[row] < Infinity && { estimate: estimate[row] }),
    submitted: submitted[row],
    ...(user[row] >= 0 && { user: users[user[row]] }),
  }
}

function isRow(job: JobJson, { waiting, users }: QueueView, row: number): boolean {
  const { id, size, estimate, submitted, user } = waiting
  return (
    job.job === id[row] &&
    job.size === size[row] &&
    (job.estimate ?? Infinity) === estimate[row] &&
    job.submitted === submitted[row] &&
    job.user === users[user[row]]
  )
}

/** Returns runs from a row on, as a message has them. */
export function runsFrom(
  { length, nodes, user, started, end }: RunColumns,
  first: number,
  users: ReadonlyArray<string>,
): ReadonlyArray<RunJson> {
  return Array.from({ length: length - first }, (_, at) => {
    const row = first + at
    return {
      nodes: nodes[row],
      ...(user[row] >= 0 && { user: users[user[row]] }),
      started: started[row],
      end: end[row],
    }
  })
}
