import type { Job } from '@cloister/workload'
import { Effect } from 'effect'
import type { Experiment } from '../experiment/reproduction.ts'
import { loadAll } from '../experiment/services.ts'
import { compare, state } from '../report/comparison.ts'
import { allKnown, count, mean, most, percent } from '../report/numbers.ts'
import { reportOf } from '../report/report.ts'
import * as paper from './paper.ts'

const HOUR = 3_600_000

export const fig5: Experiment = Effect.gen(function* () {
  const logs = (yield* loadWorkloads).map(({ name, jobs }) => {
    const hours = requestedByHour(jobs)
    return { name, hours, average: mean(hours) }
  })
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
  return reportOf(
    [{ title: 'Nodes requested an hour', heading: ['', 'hours', 'mean', 'most'], rows }],
    [state('IV-B', 'in September far more nodes are requested than in August and November', holds)],
  )
})

export const fig6: Experiment = Effect.gen(function* () {
  const loaded = yield* loadWorkloads
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
  const comparisons = paper.workloads.map(({ name }) => {
    const paperShare = name.startsWith('Sept') ? paper.small.september : { low: 0, high: paper.small.others }
    const jobs = loaded.find((log) => log.name === name)?.jobs
    const share = jobs && shareOf(jobs, (size) => size < 18)
    return compare('V-D', `jobs of fewer than 18 nodes, ${name}`, 'share', paperShare, share)
  })
  return reportOf([{ title: 'Share of the jobs', heading, rows }], comparisons)
})

const loadWorkloads = loadAll([...paper.workloads, ...paper.standIns])

function requestedByHour(jobs: ReadonlyArray<Job>): ReadonlyArray<number> {
  const hours = new Array<number>(jobs.length === 0 ? 0 : Math.floor(jobs[jobs.length - 1].submit / HOUR) + 1).fill(0)
  for (const { submit, size } of jobs) hours[Math.floor(submit / HOUR)] += size
  return hours
}

function shareOf(jobs: ReadonlyArray<Job>, test: (size: number) => boolean): number {
  return jobs.length === 0 ? 0 : jobs.filter(({ size }) => test(size)).length / jobs.length
}
