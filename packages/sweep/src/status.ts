import { Claims, isGone, type SeenWorker, seenWorkers } from './claims.ts'
import type { Cell } from './experiment.ts'
import { byReason, type FailedRun, type FailedRuns } from './failed-runs.ts'
import type { ResultsRead } from './results-read.ts'
import { readTimes, type SweepFolder } from './sweep-folder.ts'

/** Progress of a sweep over several processes: numbers of cells and workers. */
export interface SweepStatus {
  readonly cells: number
  readonly done: number
  readonly running: number
  /** Sum of the progress of all running cells, each from 0 to 1. */
  readonly underWay: number
  /** Number of cells without a result whose workers have ended or are silent. */
  readonly stale: number
  readonly failed: number
  readonly waiting: number
  /** Failed cells, grouped by the reason. */
  readonly reasons: ReadonlyArray<FailedRuns>
  readonly workers: { readonly atWork: number; readonly silent: number; readonly ended: number }
  /** Estimated time left in seconds, by the mean time of a cell, or null without a running worker or a known time. */
  readonly secondsLeft: number | null
  /** Numbers of cells that `--verify` repeated, with equal and with different results. */
  readonly verified: { readonly equal: number; readonly different: number }
}

/** Counts the cells and workers of a sweep. @param lease seconds until a worker without a heartbeat counts as gone */
export function statusOf(
  cells: ReadonlyArray<Cell>,
  folder: SweepFolder,
  read: ResultsRead,
  lease: number,
): SweepStatus {
  const now = folder.now()
  const workers = [...seenWorkers(folder).values()]
  const here = workers.filter((each) => !isGone(each, now, lease))
  const running = new Map(here.flatMap((each) => Object.entries(each.running)))
  const claims = new Claims(folder, '', lease)
  const claimed = new Set(folder.names('claims'))
  const begun = new Set(workers.flatMap((each) => Object.keys(each.running)))
  const by = { done: 0, running: 0, stale: 0, failed: 0, waiting: 0 }
  const reasons: Array<FailedRun> = []
  let underWay = 0
  for (const { cell, digest } of cells) {
    const failure = read.failureOf(digest)
    // The last heartbeat of a killed worker still names the cell after other workers have given the cell up.
    const isBegun =
      failure === undefined
        ? begun.has(digest) || claimed.has(digest)
        : claimed.has(digest) && (claims.of(digest)?.attempt ?? 0) > failure.attempt
    if (read.isDone(digest)) by.done++
    else if (running.has(digest)) {
      by.running++
      underWay += running.get(digest)!
    } else if (failure !== undefined && !isBegun) {
      by.failed++
      reasons.push({ cell, reason: failure.reason })
    } else if (isBegun) by.stale++
    else by.waiting++
  }
  return {
    cells: cells.length,
    ...by,
    underWay,
    reasons: byReason(reasons),
    workers: {
      atWork: here.length,
      silent: workers.filter((each) => !each.ended && isGone(each, now, lease)).length,
      ended: workers.filter(({ ended }) => ended).length,
    },
    secondsLeft: secondsLeft(by.running + by.stale + by.waiting - underWay, here, folder),
    verified: verified(folder),
  }
}

function secondsLeft(cells: number, here: ReadonlyArray<SeenWorker>, folder: SweepFolder): number | null {
  if (cells === 0) return 0
  const threads = here.reduce((sum, each) => sum + each.threads, 0)
  const seconds = [...readTimes(folder).values()].flatMap((times) => (times.seconds === null ? [] : [times.seconds]))
  if (threads === 0 || seconds.length === 0) return null
  const mean = seconds.reduce((sum, each) => sum + each, 0) / seconds.length
  return (cells * mean) / threads
}

function verified(folder: SweepFolder): SweepStatus['verified'] {
  const checks = folder
    .names('checks')
    .flatMap((name) => (folder.text('checks', name) ?? '').split('\n').slice(0, -1))
    .map((line) => JSON.parse(line) as { readonly equal: boolean })
  const equal = checks.filter((each) => each.equal).length
  return { equal, different: checks.length - equal }
}
