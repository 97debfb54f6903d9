// Claims of Mishra, Agrawal and Malakar, ICPP Workshops 2020: to section 6.1, algorithms, execution and waiting.
import {
  cell,
  cells,
  type Claim,
  claim,
  compared,
  derived,
  each,
  explained,
  notCompared,
  open,
  shown,
  stated,
  type Values,
} from './claim.ts'
import type { Place } from './place.ts'

export const table3 = 'reproduce mishra-table3'
export const logs = ['Intrepid', 'Theta', 'Mira']
export const runs = logs.flatMap((log) => [`${log}, RHVD`, `${log}, RD`])
const algorithms = ['Greedy', 'Balanced', 'Adaptive']

/** Rows of the tables of `mishra-table3` that the paper has, too. */
export const rowsOfTable3 = logs.flatMap((log) => [`${log} / RHVD`, `${log} / RD`])

/** Everything that was tried for the values of continuous runs. */
export const tried = 'other readings of costs, steps, ranks, leaves, queue, shares and jobs (reproduce mishra-readings)'

/** Returns shares that the three algorithms save, computed from the hours of Table 3. */
function saved(what: 'execution' | 'wait', run: string, ...shares: readonly [string, string, string]): Values {
  const [greedy, balanced, adaptive] = shares
  return compared(table3, `${what} saved by {}, ${run}`, { greedy, balanced, adaptive })
}

/** Returns the hours that the algorithms save, as the mean over logs, patterns and algorithms. */
const hoursSaved: Place = {
  meanOf: rowsOfTable3.flatMap((row) =>
    algorithms.map((algorithm) => ({ less: [hours(row, 'Default'), hours(row, algorithm)] as const })),
  ),
}

function hours(row: string, algorithm: string): Place {
  return cell(table3, 'Hours of execution, mean of 10 draws', row, algorithm)
}

/** Returns shares that balanced and adaptive save under both patterns on every log, beside one range of the paper. */
function range(what: 'execution' | 'wait', paper: string): Values {
  const table = `Saved of the ${what}, mean of 10 draws, least and most`
  return [
    ...cells(table3, table, 'Balanced', each(rowsOfTable3, paper)),
    ...cells(table3, table, 'Adaptive', each(rowsOfTable3, paper)),
  ]
}

/** Returns the times of decisions on a log. */
function decisions(log: string): Values {
  return compared(
    'reproduce mishra-decisions',
    `time of a decision under {}: ${log}`,
    each(algorithms, 'at most 100,000 µs'),
  )
}

export const mishraExecution: ReadonlyArray<Claim> = [
  claim(
    'Abstract',
    'the algorithms save 326 hours of execution on average',
    derived('hours of execution saved, mean of logs, patterns and algorithms', '326 h', hoursSaved),
    open(tried),
  ),
  claim(
    'Abstract',
    'the algorithms save 9 % of execution on average',
    derived('execution saved, mean of logs, patterns and algorithms', '9.0 %', {
      over: [hoursSaved, { meanOf: rowsOfTable3.map((row) => hours(row, 'Default')) }],
    }),
    explained('mishra.md', '326 hours are 14.3 % of the hours in Table 3 of the same paper, not 9 %'),
  ),
  claim(
    'Abstract',
    'waits fall by 31 % over three logs',
    derived('wait saved, mean of three logs', '31.0 %', {
      meanOf: logs.map((log) => ({ command: table3, statement: `wait saved, mean of all: ${log}` })),
    }),
    open(tried),
  ),
  notCompared(
    '1, 6.1',
    'a job saves at most 77 % with recursive doubling and 76 % with other patterns; 78, 77 and 82 % by algorithm',
    'the most by pattern and by algorithm are not printed; the most by log are compared below',
    table3,
  ),
  notCompared('1, Figure 1', 'a job slows down while another job is on its switches', 'a measurement on a cluster'),
  notCompared(
    '5.3',
    'contention and execution time have a correlation of 0.83',
    'our model of the two jobs has two distinct contentions, whose correlation is 1 by construction',
  ),
  shown('3.2, Figure 2', 'a tree of switches', 'packages/topology'),
  shown('3.3, Figure 3', 'steps of recursive doubling', 'packages/communication'),
  shown('4.1, Algorithm 1', 'greedy', 'packages/policies/greedy'),
  shown('4.2, Algorithm 2, Figure 4, Table 2', 'balanced: 512 nodes on seven leaves', 'packages/policies/balanced'),
  shown(
    '4, 5.3, Table 1, Figure 5',
    'equations 1 to 7, contentions of 1 and 1.875, hops of 4 and 11.5',
    'packages/communication',
  ),
  notCompared(
    '5.1',
    '90 % of the jobs of Theta have a power of two of nodes, of the other logs more than 99 %',
    "the authors' lists are parts of the logs",
  ),
  claim('5.2', 'a decision takes less than 0.1 s', [
    ...decisions('Intrepid'),
    ...decisions('Theta'),
    ...decisions('Mira'),
  ]),
  claim(
    '6.1, Table 3',
    'hours of execution under the default',
    compared(table3, 'hours of execution, {}, Default', { Intrepid: '1,382 h', Theta: '2,189 h', Mira: '3,289 h' }),
  ),
  claim(
    '6.1, Table 3',
    'hours of waiting under the default',
    compared(table3, 'hours of waiting, {}, Default', { Intrepid: '57 h', Theta: '45,303 h', Mira: '17,387 h' }),
    open(tried),
  ),
  claim(
    '6.1, Table 3',
    'execution saved, by log and pattern',
    [
      ...saved('execution', 'Intrepid, RHVD', '2.2 %', '9.1 %', '9.5 %'),
      ...saved('execution', 'Intrepid, RD', '2.7 %', '8.5 %', '9.0 %'),
      ...saved('execution', 'Theta, RHVD', '20.5 %', '22.3 %', '24.0 %'),
      ...saved('execution', 'Theta, RD', '17.3 %', '20.9 %', '22.1 %'),
      ...saved('execution', 'Mira, RHVD', '-20.3 %', '28.8 %', '26.0 %'),
      ...saved('execution', 'Mira, RD', '0.1 %', '22.2 %', '19.8 %'),
    ],
    open(tried),
  ),
  claim(
    '6.1, Table 3',
    'wait saved, by log and pattern',
    [
      ...saved('wait', 'Intrepid, RHVD', '14.0 %', '52.6 %', '52.6 %'),
      ...saved('wait', 'Intrepid, RD', '8.8 %', '43.9 %', '42.1 %'),
      ...saved('wait', 'Theta, RHVD', '31.2 %', '23.8 %', '27.0 %'),
      ...saved('wait', 'Theta, RD', '23.0 %', '20.8 %', '29.8 %'),
      ...saved('wait', 'Mira, RHVD', '-101.1 %', '78.8 %', '72.7 %'),
      ...saved('wait', 'Mira, RD', '8.9 %', '63.6 %', '67.6 %'),
    ],
    open(tried),
  ),
  claim(
    '6.1',
    'balanced and adaptive take less time than the default and greedy',
    stated(table3, 'balanced and adaptive take less time than default and greedy: {}', ...runs),
  ),
  claim('6.1', 'balanced and adaptive save 7 to 22 % of execution', range('execution', '7.0 to 22.0 %'), open(tried)),
  claim('6.1', 'balanced and adaptive save 21 to 79 % of the wait', range('wait', '21.0 to 79.0 %')),
  claim(
    '6.1, 7',
    'wait saved, mean of the algorithms: 35, 26 and 32 %',
    compared(table3, 'wait saved, mean of all: {}', { Intrepid: '35.0 %', Theta: '26.0 %', Mira: '32.0 %' }),
    open(tried),
  ),
  claim(
    '6.1',
    'recursive halving with doubling saves more than recursive doubling',
    stated(table3, 'halving with doubling saves more than RD under balanced: {}', ...logs),
  ),
]
