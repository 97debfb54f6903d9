import { Effect } from 'effect'
import type { Experiment } from '../experiment/experiment.ts'
import type { Report } from '../report/report.ts'
import { Draws, type LogAtHand, logsAtHand, seeds, spread } from './draws.ts'
import * as paper from './paper.ts'
import type { Reading } from './reading.ts'

/** The first draws: the runs are many. */
const few = seeds.slice(0, 3)

/** Theta, halving with doubling, under other readings of what the paper leaves open, one changed at a time. */
export const readings: Experiment = Effect.map(logsAtHand, (logs): Report => ({
  tables: logs
    .filter(({ log }) => log.name === 'Theta')
    .map(({ log, jobs }) => ({
      title: `${log.name}, RHVD, mean of ${few.length} draws, least and most; hours of the default, and what is saved of execution`,
      heading: ['reading', 'execution', 'wait', ...paper.ours],
      rows: others(log).map((reading) => row(reading, jobs)),
    })),
  comparisons: [],
  charts: [],
}))

function row(reading: Reading, jobs: LogAtHand['jobs']): ReadonlyArray<string> {
  const draws = new Draws(jobs, reading, paper.alone('RHVD'), paper.communicating, few)
  return [
    reading.name,
    draws.value('execution', 'Default').toFixed(0),
    draws.value('wait', 'Default').toFixed(0),
    ...paper.ours.map((algorithm) => spread(draws.saved('execution', algorithm))),
  ]
}

function others(log: paper.Log): ReadonlyArray<Reading> {
  const all = paper.readingOf(log)
  return [
    all,
    { ...all, name: 'costs against the default at that moment', oldCost: 'same state' },
    { ...all, name: 'steps weigh the same (equation 6)', steps: 'equal' },
    { ...all, name: "ranks in the order of nodes' numbers", ranks: 'ids' },
    { ...all, name: 'equal leaves by number', ties: 'ids' },
    { ...all, name: 'EASY, which knows run times', queue: 'EASY' },
    { ...all, name: '60 % of the time is communication', share: 600 },
    { ...all, name: "the list's own jobs and shares", share: 'list' },
    ...machines.map(([name, topology]): Reading => ({ ...all, name, scale: 1, topology })),
  ]
}

/** Without dividing sizes. */
const machines: ReadonlyArray<readonly [name: string, topology: string]> = [
  ['sizes as in the log, on 512 nodes', paper.machines.small],
  ['sizes as in the log, on 1,280 nodes', 'pgft:2;16,80;1,16;1,1'],
  ['sizes as in the log, on 4,400 nodes', 'pgft:2;16,275;1,16;1,1'],
]
