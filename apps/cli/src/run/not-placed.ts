import { estimateOf, type Summary } from '@cloister/kernel'
import type { JobsOfAll, NotPlaced } from '@cloister/metrics'
import type { Run } from '@cloister/run'
import { columnOf } from '@cloister/workload'
import { count, percent } from '../terminal/quantities.ts'

/** Labels for the two kinds of jobs that never started, in the order of the tables. */
export const notPlacedLabels: ReadonlyArray<readonly [name: keyof NotPlaced, label: string]> = [
  ['rejected', 'rejected'],
  ['waiting', 'still waiting'],
]

/** Counts the jobs that never started in a run. `cloister metrics` counts the same jobs from the log. */
export function notPlacedOfRun({ workload, applied }: Run, { notPlaced }: Pick<Summary, 'notPlaced'>): NotPlaced {
  const { jobs } = workload
  const nodeTimes = columnOf(jobs, (job) => job.size * estimateOf(job, applied.estimates))
  const all = nodeTimes.reduce((sum, nodeTime) => sum + nodeTime, 0)
  const part = (numbers: ReadonlyArray<number>): JobsOfAll => ({
    jobs: numbers.length,
    share: numbers.length / jobs.length,
    nodeTime: all > 0 ? numbers.reduce((sum, job) => sum + nodeTimes[job], 0) / all : null,
  })
  return { rejected: part(notPlaced.rejected.map(({ job }) => job)), waiting: part(notPlaced.waiting) }
}

/** Returns a row for each kind of jobs that never started, such as `REJECTED 230 of 300 jobs (76.7 %)`. */
export function notPlacedRows(
  notPlaced: NotPlaced,
  submitted: number,
): ReadonlyArray<readonly [label: string, text: string]> {
  return notPlacedLabels
    .filter(([name]) => notPlaced[name].jobs > 0)
    .map(([name, label]) => [label.toUpperCase(), describeJobs(notPlaced[name], submitted)])
}

/** Describes the number of jobs that never started, with the share of all jobs and the share of node-time. */
export function describeJobs({ jobs, share, nodeTime }: JobsOfAll, submitted: number): string {
  const ofTime = nodeTime === null ? '' : `, ${percent(nodeTime)} of node-time`
  return `${count(jobs)} of ${count(submitted)} jobs (${percent(share)}${ofTime})`
}

/** Returns the reasons why the figures of a run are unusable, a sentence each, or none for usable figures. */
export function whyUnusable(
  run: Run,
  { totals, notPlaced }: Pick<Summary, 'totals' | 'notPlaced'>,
): ReadonlyArray<string> {
  const { policy } = run.bound
  const { waiting, rejected } = notPlaced
  const tooFew = rejected.filter(({ job, code }) => code === 'too-few-nodes' && fits(run, job)).length
  return [
    ...(totals.started === 0 ? [noneStarted(policy.name)] : []),
    ...(tooFew === 0
      ? []
      : [
          `${policy.name} rejected ${count(tooFew)} ${tooFew === 1 ? 'job' : 'jobs'} as too-few-nodes, although the empty machine has enough nodes: the policy has a fault; cloister policy test ${run.spec.policy} shows the fault`,
        ]),
    ...(waiting.length === 0 || isBroken(run)
      ? []
      : [
          `${count(waiting.length)} ${waiting.length === 1 ? 'job waits' : 'jobs wait'} for ever, although no node or link is down: ${policy.name} refuses the first waiting job on a machine without other jobs; cloister policy test ${run.spec.policy} shows the fault`,
        ]),
  ]
}

/** Returns the remark on a run in which no job started, so that no figure of the run has a meaning. */
export function noneStarted(policy: string): string {
  return `no job started under ${policy}, so that the run has no waits, no turnaround and no utilization to compare`
}

function fits({ workload, topology, bound }: Run, job: number): boolean {
  return bound.placer.claims.exactSize && workload.jobs.at(job)!.size <= topology.nodes
}

/** Returns true if nodes or links are down at the end of a run. */
function isBroken({ outages }: Run): boolean {
  const down = outages.reduce((sum, { change, resources: { nodes, links } }) => {
    const changed = [nodes, ...links].reduce((count, ids) => count + ids.length, 0)
    return change === 'down' ? sum + changed : sum - changed
  }, 0)
  return down > 0
}
