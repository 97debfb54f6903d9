import { NodeIds } from '@cloister/slurm'
import type { Topology } from '@cloister/topology'
import { Effect } from 'effect'
import { again, monotonicMilliseconds, remark } from '../polling.ts'
import { changesForDefects, type JobChange } from './driver.ts'
import { LeaseFiles } from './lease-file.ts'
import { isDriven } from './observations.ts'
import { ChangingJobs } from './changing-jobs.ts'
import { look, type Partition, UnreadReports } from './partition.ts'

const COMMAND_SECONDS = 10

/** Options of a watchdog. */
export interface WatchdogOptions {
  /** Name of the Slurm partition whose jobs a controller places. */
  readonly partition: string
  readonly topology: Topology
  /** Folder of the controller's lease. */
  readonly lease: string
  /** Seconds without a renewal after which the watchdog hands held jobs back to Slurm. */
  readonly after: number
  /** Number of checks of the lease, at least 1. Default: no end. */
  readonly polls?: number | undefined
}

/** Hands held jobs back to Slurm while no controller renews its lease. */
export const watchdog = Effect.fnUntraced(function* ({ topology, lease, after, polls, ...options }: WatchdogOptions) {
  const partition: Partition = { name: options.partition, topology, nodeIds: new NodeIds(topology) }
  const files = yield* LeaseFiles.open(lease, after)
  yield* files.checkIsLease(after)
  const changing = new ChangingJobs(partition, Effect.void, COMMAND_SECONDS)
  const reports = new UnreadReports()
  const state = {
    seen: undefined as string | undefined,
    since: yield* monotonicMilliseconds,
    handedBack: 0,
    isAlone: false,
  }
  /** State of the lease. A lease that cannot be read counts as a lease that is not renewed. */
  const read = Effect.suspend(() => files.run(files.lease.state())).pipe(
    Effect.catch((error) => Effect.as(files.report(error), state.seen)),
  )
  state.seen = yield* read
  const watchOnce = Effect.gen(function* () {
    const seen = yield* read
    const now = yield* monotonicMilliseconds
    if (seen !== state.seen) {
      if (state.isAlone) yield* remark('a controller has the lease again: held jobs are left to the controller')
      Object.assign(state, { seen, since: now, isAlone: false })
    }
    if (now - state.since < after * 1000) return
    if (!state.isAlone) yield* remark(`no controller has renewed ${lease} for ${after} s: held jobs are left to Slurm`)
    state.isAlone = true
    state.handedBack += yield* handBackAll(partition, changing, reports)
  })
  yield* again(watchOnce, `${Math.max(50, (after * 1000) / 4)} millis`, polls)
  return { handedBack: state.handedBack, diskErrors: files.errors }
})

/** Hands back all jobs that are held for the controller; returns the number of jobs that Slurm has taken back. */
export const handBackAll = Effect.fnUntraced(function* (
  partition: Partition,
  changing: ChangingJobs,
  reports: UnreadReports = new UnreadReports(),
) {
  const seen = yield* look(partition)
  yield* reports.tell(seen.unread, partition.name)
  const held = seen.jobs.filter((job) => isDriven(job, partition.name) && job.isHeld && !job.isRefused)
  const handBack = held.map(({ id }): JobChange => ({ kind: 'hand-back', id }))
  return yield* changing.all([...handBack, ...changesForDefects(seen, partition.name)])
})
