import { Effect } from 'effect'
import { plan, runAll } from '../experiment/outcomes.ts'
import type { RunResult } from '../experiment/runs.ts'
import { locateAll } from '../experiment/traces.ts'
import * as paper from '../jigsaw/paper.ts'
import { percent } from '../report/quantities.ts'
import type { Table } from '../report/report.ts'
import { sum } from '../report/statistics.ts'

const names = ['LaaS', 'LaaS, uplinks for all', 'Jigsaw', 'Jigsaw, uplinks for all']
const schemes = [...paper.schemes, ...paper.readings].filter(({ name }) => names.includes(name))
const thunder = paper.traces.filter(({ name }) => name === 'Thunder')

/** Ways to make percents whole: 97.6 % is in the bin of 98 % and more of the Jigsaw paper's Table 2, or below. */
const ways: ReadonlyArray<readonly [name: string, shareAbove: (result: RunResult) => number]> = [
  ['to the nearest', ({ instantaneousPercents }) => sum(instantaneousPercents.slice(98)) / sum(instantaneousPercents)],
  ['cut off', ({ metrics: { instantaneous } }) => instantaneous['98'] / sum(Object.values(instantaneous))],
]

/** Table of the shares of samples at 98 % and more under first come, first served, by the rounding of percents. */
export const laasSamples = Effect.gen(function* () {
  const located = yield* locateAll(thunder)
  const outcomes = yield* runAll(
    located.flatMap((trace) => schemes.map((scheme) => plan({ ...trace, queue: 'fcfs' }, scheme))),
  )
  const rows = schemes.flatMap(({ name }) => {
    const result = outcomes.get('Thunder', name)
    return result === undefined ? [] : [[name, ...ways.map(([, shareAbove]) => percent(shareAbove(result)))]]
  })
  const theirs = (row: string): string => percent(paper.table2[row][0] / sum(paper.table2[row]))
  return {
    title: `Samples at 98 % and more on Thunder; the paper has ${theirs('LaaS')} under LaaS, ${theirs('Jigsaw')} under Jigsaw`,
    heading: ['percents are made whole', ...ways.map(([name]) => name)],
    rows,
  } satisfies Table
})
