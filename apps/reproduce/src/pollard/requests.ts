import type { Job } from '@cloister/workload'
import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import { Traces } from '../experiment/traces.ts'
import { type Comparison, compare, state } from '../report/comparison.ts'
import { allKnown } from '../report/known-values.ts'
import { count, percent } from '../report/quantities.ts'
import { mean, most } from '../report/statistics.ts'
import * as paper from './paper.ts'
import { locateWorkloads } from './runs.ts'

const HOUR = 3_600_000

export const fig5: Experiment = Effect.gen(function* () {
  const loaded = yield* loadAll
  const logs = loaded
    .map(({ name, jobs }) => ({ name, hours: requestedByHour(jobs) }))
    .map(({ name, hours }) => ({ name, hours, average: mean(hours) }))
  const rows = logs.map(({ name, hours, average }) => [
    name,
    count(hours.length),
    count(Math.round(average)),
    count(hours.length === 0 ? 0 : most(hours)),
  ])
  const onCab = allKnown(
    ['Sept on Cab', 'Aug on Cab', 'Nov on Cab'].map((name) => logs.find((log) => log.name === name)?.average),
  )
  const holds = onCab && onCab.slice(1).every((average) => onCab[0] > average)
  return {
    tables: [{ title: 'Nodes requested an hour', heading: ['', 'hours', 'mean', 'most'], rows }],
    comparisons: [state('IV-B', 'in September far more nodes are requested than in August and November', holds)],
    charts: [],
  }
})

export const fig6: Experiment = Effect.gen(function* () {
  const loaded = yield* loadAll
  const bins = [
    [1, 1],
    [2, 4],
    [5, 17],
    [18, 18],
    [19, 100],
    [101, 256],
    [257, 512],
    [513, Infinity],
  ] as const
  const rows = loaded.map(({ name, jobs }) => [
    name,
    ...bins.map(([from, to]) => percent(shareOf(jobs, (size) => size >= from && size <= to))),
  ])
  const heading = [
    '',
    ...bins.map(([from, to]) => (from === to ? `${from}` : to === Infinity ? `${from}+` : `${from}-${to}`)),
  ]
  return {
    tables: [{ title: 'Share of the jobs', heading, rows }],
    comparisons: smallJobs(new Map(loaded.map(({ name, jobs }) => [name, shareOf(jobs, (size) => size < 18)]))),
    charts: [],
  }
})

function smallJobs(shares: ReadonlyMap<string, number>): ReadonlyArray<Comparison> {
  return paper.workloads.map(({ name }) => {
    const paperShare = name.startsWith('Sept') ? paper.small.september : { low: 0, high: paper.small.others }
    return compare('V-D', `jobs of fewer than 18 nodes, ${name}`, 'share', paperShare, shares.get(name))
  })
}

const loadAll = Effect.gen(function* () {
  const traces = yield* Traces
  return yield* Effect.forEach(yield* locateWorkloads, ({ name, located }) =>
    Effect.map(traces.jobs(located), (jobs) => ({ name, jobs })),
  )
})

function requestedByHour(jobs: ReadonlyArray<Job>): ReadonlyArray<number> {
  const hours = new Array<number>(jobs.length === 0 ? 0 : Math.floor(jobs[jobs.length - 1].submit / HOUR) + 1).fill(0)
  for (const { submit, size } of jobs) hours[Math.floor(submit / HOUR)] += size
  return hours
}

function shareOf(jobs: ReadonlyArray<Job>, test: (size: number) => boolean): number {
  return jobs.length === 0 ? 0 : jobs.filter(({ size }) => test(size)).length / jobs.length
}
