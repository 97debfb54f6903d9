import { Clock, Console, Effect, Schedule } from 'effect'
import { type JobChange, changesForDefects } from '../decide/job-changes.ts'
import { isDriven } from '../decide/observations.ts'
import { ChangingJobs, look, type Partition, UnreadReports } from '../slurm.ts'
import { checkIsLease, mayPass, readLease } from './lease-file.ts'
import { DiskReports, retrying } from './take-lease.ts'

const COMMAND_SECONDS = 10

/** Options of a watchdog. */
export interface WatchdogOptions {
  readonly partition: Partition
  /** File of the controller's lease. */
  readonly lease: string
  /** Seconds without a renewal after which the watchdog hands held jobs back to Slurm. */
  readonly after: number
  /** Number of checks of the lease; undefined for no end. */
  readonly polls: number | undefined
}

/** Hands held jobs back to Slurm while no controller renews its lease. */
export const watchdog = Effect.fnUntraced(function* ({ partition, lease, after, polls }: WatchdogOptions) {
  const disk = new DiskReports()
  yield* checkIsLease(lease).pipe(
    Effect.tapError((error) => (mayPass(error) ? disk.failed(error) : Effect.void)),
    Effect.retry({ while: mayPass, schedule: retrying(after) }),
  )
  const changing = new ChangingJobs(partition, Effect.void, COMMAND_SECONDS)
  const reports = new UnreadReports()
  const milliseconds = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))
  const state = {
    seen: undefined as string | undefined,
    since: yield* milliseconds,
    handedBack: 0,
    isAlone: false,
    diskErrors: 0,
  }
  /** Text of the lease's file. A file that cannot be read counts as a lease that is not renewed. */
  const read = readLease(lease).pipe(
    Effect.tap(() => disk.worked(lease)),
    Effect.catch((error) => {
      state.diskErrors++
      return Effect.as(disk.failed(error), state.seen)
    }),
  )
  state.seen = yield* read
  const watchOnce = Effect.gen(function* () {
    const seen = yield* read
    const now = yield* milliseconds
    if (seen !== state.seen) {
      if (state.isAlone) yield* Console.error('a controller has the lease again: held jobs are left to the controller')
      Object.assign(state, { seen, since: now, isAlone: false })
    }
    if (now - state.since < after * 1000) return
    if (!state.isAlone)
      yield* Console.error(`no controller has renewed ${lease} for ${after} s: held jobs are left to Slurm`)
    state.isAlone = true
    state.handedBack += yield* handBackAll(partition, changing, reports)
  })
  const every = Schedule.spaced(`${Math.max(50, (after * 1000) / 4)} millis`)
  yield* watchOnce.pipe(
    Effect.repeat(polls === undefined ? { schedule: every } : { schedule: every, times: polls - 1 }),
  )
  return { handedBack: state.handedBack, diskErrors: state.diskErrors }
})

/** Hands back all jobs that are held for the controller; returns the number of jobs that Slurm has taken back. */
export const handBackAll = Effect.fnUntraced(function* (
  partition: Partition,
  changing: ChangingJobs,
  reports: UnreadReports = new UnreadReports(),
) {
  const seen = yield* look(partition)
  yield* reports.tell(seen.unread, partition.name)
  const held = seen.jobs.filter((job) => isDriven(job, partition.name) && job.phase === 'pending' && job.isHeld)
  const handBack = held.map(({ id }): JobChange => ({ kind: 'hand-back', id }))
  return yield* changing.all([...handBack, ...changesForDefects(seen, partition.name)])
})
