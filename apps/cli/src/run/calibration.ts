import { historyFit, nodeTimeByDay, NodesInUse } from '@cloister/metrics'
import type { Outage } from '@cloister/kernel'
import { type Run, type SimulatedJobs, simulatedJobs } from '@cloister/run'
import type { Job } from '@cloister/workload'
import type { CandidateFit, GroupFit, Unexplained } from '../results/calibrate.ts'
import type { Progress } from '../terminal/progress.ts'

/** Jobs of a recorded history, a row each. Times are seconds after the start of the trace. */
export interface RecordedHistory {
  readonly jobs: ReadonlyArray<Job>
  readonly nodes: number
  /** Recorded wait of each job; NaN if unknown. */
  readonly waits: Float64Array
  /** Submission of each job. */
  readonly submits: Float64Array
  readonly sizes: Float64Array
  /** Recorded run time of each job. */
  readonly runTimes: Float64Array
}

/** Returns the history of a run's trace, before the assumptions of the run. */
export function historyOf({ source, topology }: Run): RecordedHistory {
  const jobs = [...source.workload.jobs]
  return {
    jobs,
    nodes: topology.nodes,
    waits: Float64Array.from(jobs, ({ recordedWait }) => (recordedWait ?? Number.NaN) / 1000),
    submits: Float64Array.from(jobs, ({ submit }) => submit / 1000),
    sizes: Float64Array.from(jobs, ({ size }) => size),
    runTimes: Float64Array.from(jobs, ({ runTime }) => runTime / 1000),
  }
}

/** Simulates a run for each candidate, and shows the progress of all runs together. @throws PolicyFailedError */
export function simulateCandidates(
  runs: ReadonlyArray<Run>,
  candidates: ReadonlyArray<string>,
  progress: Progress,
): ReadonlyArray<SimulatedJobs> {
  try {
    return runs.map((run, at) => {
      const jobs = run.workload.jobs.length
      const onProgress = (ended: number): void =>
        progress.show(`${candidates[at]}:`, (at + ended / jobs) / runs.length, at * jobs + ended, 'jobs')
      onProgress(0)
      return simulatedJobs(run, { onProgress })
    })
  } finally {
    progress.clear()
  }
}

/** Returns undefined if no job with a recorded wait starts in the simulation. */
export function fitOfCandidate(history: RecordedHistory, simulated: SimulatedJobs): CandidateFit | undefined {
  const fit = historyFit(history.waits, simulated.waits)
  if (fit === undefined) return undefined
  const days = (waits: Float64Array, lengths: Float64Array): ReadonlyArray<number> =>
    nodeTimeByDay({ sizes: history.sizes, starts: history.submits.map((at, job) => at + waits[job]), lengths })
  const [then, now] = [days(history.waits, history.runTimes), days(simulated.waits, simulated.runTimes)]
  const count = Math.max(then.length, now.length)
  const differences = Array.from({ length: count }, (_, day) => Math.abs((then[day] ?? 0) - (now[day] ?? 0)))
  const all = history.nodes * 86_400 * count
  return { ...fit, utilizationError: differences.reduce((sum, each) => sum + each, 0) / all }
}

export const groupings = ['size', 'queue', 'user', 'account', 'month'] as const
export type CalibrationGrouping = (typeof groupings)[number]

/** Returns the groups with the longest total recorded waits; classes of sizes and months are in their own order. */
export function fitsByGroup(
  history: RecordedHistory,
  simulated: ReadonlyArray<SimulatedJobs>,
  by: CalibrationGrouping,
  epoch: number | undefined,
): ReadonlyArray<GroupFit> {
  const rows = Array.from(history.jobs.keys()).filter((row) => history.waits[row] >= 0)
  const groups = [...Map.groupBy(rows, (row) => groupOf(history.jobs[row], by, epoch))]
  const fits = groups.map(([group, members]): GroupFit => {
    const mean = (waits: Float64Array): number | null => {
      const known = members.filter((row) => waits[row] >= 0)
      return known.length === 0 ? null : known.reduce((sum, row) => sum + waits[row], 0) / known.length
    }
    return {
      group,
      jobs: members.length,
      recorded: mean(history.waits)!,
      simulated: simulated.map(({ waits }) => mean(waits)),
    }
  })
  const numberIn = (group: string): number => Number(/^\d+/.exec(group)?.[0] ?? 0)
  if (by === 'size') return fits.sort((a, b) => numberIn(a.group) - numberIn(b.group))
  if (by === 'month') return fits.sort((a, b) => (a.group < b.group ? -1 : 1))
  return fits.sort((a, b) => b.recorded * b.jobs - a.recorded * a.jobs || (a.group < b.group ? -1 : 1))
}

const MONTH = 30 * 86_400_000

function groupOf(job: Job, by: CalibrationGrouping, epoch: number | undefined): string {
  if (by === 'size') {
    let to = 1
    while (to < job.size) to *= 2
    return to <= 2 ? String(to) : `${to / 2 + 1}-${to}`
  }
  if (by !== 'month') return job[by] ?? '(none)'
  if (epoch === undefined) return `month ${String(Math.floor(job.submit / MONTH) + 1).padStart(3, '0')}`
  return new Date(epoch * 1000 + job.submit).toISOString().slice(0, 7)
}

const LONG = 300

export function unexplained(history: RecordedHistory, { source, outages }: Run): Unexplained {
  const { waits, submits, sizes, runTimes, nodes, jobs } = history
  const starts = submits.map((at, job) => at + waits[job])
  const end = starts.reduce((last, start, job) => Math.max(last, start + runTimes[job] || 0), 0)
  const down = downtimes(outages, end)
  const used = new NodesInUse({
    sizes: [...sizes, ...down.map(() => 1)],
    starts: [...starts, ...down.map(([from]) => from)],
    lengths: [...runTimes, ...down.map(([from, to]) => to - from)],
  })
  const long = Array.from(jobs.keys()).filter((row) => waits[row] > LONG)
  const idle = long.filter((row) => used.mostIn(submits[row], submits[row] + waits[row]) + sizes[row] <= nodes)
  const sum = (rows: ReadonlyArray<number>): { readonly jobs: number; readonly hours: number } => ({
    jobs: rows.length,
    hours: rows.reduce((hours, row) => hours + waits[row] / 3600, 0),
  })
  const queues = [...Map.groupBy(idle, (row) => jobs[row].queue)]
  return {
    waited: sum(long),
    besideIdleNodes: sum(idle),
    askedForGpus: sum(idle.filter((row) => (jobs[row].gpus ?? 0) > 0)),
    byQueue: queues
      .flatMap(([queue, rows]) => (queue === undefined ? [] : [{ queue, ...sum(rows) }]))
      .sort((a, b) => b.hours - a.hours),
    mostNodes: (down.length === 0 ? used : new NodesInUse({ sizes, starts, lengths: runTimes })).most,
    leftOut: Object.values(source.skipped).reduce((all, each) => all + each, 0),
    outages: outages.length,
    meanDown: end === 0 ? 0 : down.reduce((time, [from, to]) => time + to - from, 0) / end,
  }
}

/** Returns from when until when, in seconds, a node was down, for each failure of a node; at most until `end`. */
function downtimes(outages: ReadonlyArray<Outage>, end: number): ReadonlyArray<readonly [from: number, to: number]> {
  const since = new Map<number, number>()
  const times: Array<readonly [number, number]> = []
  const close = (node: number, to: number): void => {
    const from = since.get(node)
    if (from !== undefined && to > from) times.push([from, to])
    since.delete(node)
  }
  for (const { time, change, resources } of outages)
    for (const node of Array.from(resources.nodes)) {
      const at = Math.min(end, time / 1000)
      if (change === 'up') close(node, at)
      else if (!since.has(node)) since.set(node, at)
    }
  for (const node of Array.from(since.keys())) close(node, end)
  return times
}
