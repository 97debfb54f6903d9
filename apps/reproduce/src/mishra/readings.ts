import { Effect } from 'effect'
import type { Experiment } from '../experiment/reproduction.ts'
import { locateAll, type LocatedTrace } from '../experiment/services.ts'
import { reportOf, type Table } from '../report/report.ts'
import * as paper from './paper.ts'
import { drawsOf, seeds } from './runs.ts'

/** Seeds of only three draws, because the experiment has many runs. */
const few = seeds.slice(0, 3)

/**
 * Experiment on other readings of points that the Mishra paper leaves open, one point changed at a time. For each log,
 * a table has the pattern RHVD, and a table has two readings of RD's pairs.
 */
export const readings: Experiment = Effect.gen(function* () {
  const logs = yield* locateAll(paper.logs)
  const tables = [
    ...logs.map((log) => tableOf(log, log.name === 'Theta' ? ofTheta(log) : ofAll(log), 'RHVD')),
    ...logs.map((log) => tableOf(log, ofPairs(log), 'RD')),
  ]
  return reportOf(yield* Effect.all(tables))
})

const tableOf = Effect.fnUntraced(function* (
  { name, located }: paper.Log & { readonly located: LocatedTrace },
  of: ReadonlyArray<paper.Reading>,
  pattern: paper.Pattern,
) {
  const rows = yield* Effect.forEach(of, (reading) =>
    Effect.map(drawsOf({ located, reading, mix: paper.alone(pattern), drawn: few }), (draws) =>
      draws === undefined
        ? []
        : [
            [
              reading.name,
              draws.value('execution', 'Default').toFixed(0),
              draws.value('wait', 'Default').toFixed(0),
              ...draws.savedTexts('execution'),
            ],
          ],
    ),
  )
  const table: Table = {
    title: `${name}, ${pattern}, mean of ${few.length} draws, least and most; hours of the default, and what is saved of execution`,
    heading: ['reading', 'execution', 'wait', ...paper.ours],
    rows: rows.flat(),
  }
  return table
})

function ofAll(log: paper.Log): ReadonlyArray<paper.Reading> {
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
  ]
}

function ofTheta(log: paper.Log): ReadonlyArray<paper.Reading> {
  const all = paper.readingOf(log)
  return [...ofAll(log), ...machines.map(([name, topology]): paper.Reading => ({ ...all, name, scale: 1, topology }))]
}

function ofPairs(log: paper.Log): ReadonlyArray<paper.Reading> {
  const all = paper.readingOf(log)
  return [
    { ...all, name: 'pairs of the code: heads of blocks' },
    { ...all, name: 'pairs of the text: every rank', pairs: 'text' },
  ]
}

/** Machines for runs of Theta with undivided job sizes. */
const machines: ReadonlyArray<readonly [name: string, topology: string]> = [
  ['sizes as in the log, on 512 nodes', paper.machines.small],
  ['sizes as in the log, on 1,280 nodes', 'pgft:2;16,80;1,16;1,1'],
  ['sizes as in the log, on 4,400 nodes', 'pgft:2;16,275;1,16;1,1'],
]
