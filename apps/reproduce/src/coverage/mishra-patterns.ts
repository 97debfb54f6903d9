// Claims of Mishra, Agrawal and Malakar, ICPP Workshops 2020: from section 6.2 on, patterns, single jobs and costs.
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
  stated,
  type Values,
} from './claim.ts'
import { logs, rowsOfTable3, runs, table3, tried } from './mishra-execution.ts'
import type { Place } from './place.ts'

const table4 = 'reproduce mishra-table4'
const [fig6, fig7, fig8, fig9] = ['fig6', 'fig7', 'fig8', 'fig9'].map((figure) => `reproduce mishra-${figure}`)

/** Titles of tables. */
const SINGLE = 'Execution saved, mean of 10 draws, least and most'
const COSTS = 'Mean cost of a job that communicates, binomial, 10 draws, by nodes on the machine'

/** Rows of single jobs. Of the two machines, the compared values are from the machine whose every second job ended. */
const singles = rowsOfTable3.map((row) => `${row} / every second ended`)
const machines = open('two machines, every second job ended or half full; the paper describes no machine (mishra.md)')

/** Reason that bounds the savings of a single job. */
const half = explained('mishra.md', 'a job whose communication takes half of its time cannot save more than half')

/** Returns shares saved on Intrepid by the share of communicating jobs, beside one range of the paper. */
function byShare(what: 'Turnaround' | 'Node-hours', algorithm: string, paper: string): Values {
  const table = `${what} saved, mean of 10 draws, least and most`
  return cells(fig9, table, algorithm, each(['30 %', '60 %', '90 %'], paper))
}

/** Returns shares that single jobs save under the three algorithms. */
function single(run: string, ...[greedy, balanced, adaptive]: readonly [string, string, string]): Values {
  return compared(table4, `execution saved by {}, ${run}`, { greedy, balanced, adaptive })
}

/** Returns the mean costs that adaptive saves, by the nodes of the jobs of a log. */
function costSaved(log: string, ...sizes: ReadonlyArray<string>): Values {
  const cost = (size: string, algorithm: string): Place => cell(fig8, COSTS, `${log} / ${size}`, algorithm)
  const [first, ...others] = sizes.flatMap((size) =>
    derived(`cost saved by adaptive: ${log}, ${size} nodes`, 'at least 0.0', {
      less: [cost(size, 'Default'), cost(size, 'Adaptive')],
    }),
  )
  return [first, ...others]
}

export const mishraPatterns: ReadonlyArray<Claim> = [
  claim(
    '6.2, Figure 6',
    'execution saved with mixtures of patterns',
    [
      ...compared(fig6, 'execution saved, the best of the three, Intrepid, set {}', {
        A: '2.59 %',
        B: '3.92 %',
        C: '5.49 %',
        D: '3.71 %',
        E: '5.19 %',
      }),
      ...compared(fig6, 'execution saved, mean of the three, Theta, set {}', {
        A: '5.89 %',
        B: '8.92 %',
        C: '12.49 %',
        D: '7.94 %',
        E: '11.11 %',
      }),
      ...compared(fig6, 'execution saved, the best of the three, Mira, set {}', {
        A: '7.20 %',
        B: '10.90 %',
        C: '15.27 %',
        D: '6.68 %',
        E: '9.36 %',
      }),
    ],
    explained('mishra.md', 'the values contradict Table 3 of the same paper: set B has the runs of Table 3 with RHVD'),
  ),
  claim('6.2, Figure 6', 'more communication saves more, and RHVD more than RD with binomial', [
    ...stated(fig6, 'more is saved the more jobs communicate, A < B < C and D < E: {}', ...logs),
    ...stated(fig6, 'halving with doubling saves more than RD and binomial, B > D and C > E: {}', ...logs),
  ]),
  notCompared('6.2', 'a job saves up to 49 % with every mixture', 'the most by mixture are not printed', fig6),
  claim(
    '6.3, Table 4',
    'execution saved by single jobs',
    [
      ...single('Intrepid, RHVD', '3.65 %', '7.23 %', '7.81 %'),
      ...single('Intrepid, RD', '1.70 %', '8.12 %', '8.29 %'),
      ...single('Theta, RHVD', '9.65 %', '9.65 %', '9.65 %'),
      ...single('Theta, RD', '13.56 %', '13.56 %', '13.56 %'),
      ...single('Mira, RHVD', '10.84 %', '19.69 %', '21.71 %'),
      ...single('Mira, RD', '9.45 %', '24.32 %', '24.91 %'),
    ],
    machines,
  ),
  claim(
    '6.3, Table 4',
    'single jobs save 2 to 11 % under greedy, 7 to 25 % under balanced and adaptive',
    [
      ...cells(table4, SINGLE, 'Greedy', each(singles, '2.0 to 11.0 %')),
      ...cells(table4, SINGLE, 'Balanced', each(singles, '7.0 to 25.0 %')),
      ...cells(table4, SINGLE, 'Adaptive', each(singles, '7.0 to 25.0 %')),
    ],
    machines,
  ),
  claim(
    '6.3, Table 4',
    'each algorithm saves something',
    stated(table4, 'each algorithm saves something: {}', ...runs),
    machines,
  ),
  claim(
    '6.3, Table 4',
    'balanced and adaptive save no less than greedy',
    stated(table4, 'balanced and adaptive save no less than greedy: {}', ...runs),
  ),
  claim(
    '6.3, Figure 7',
    'a job of continuous runs saves at most 76, 70 and 82 %',
    compared(table3, 'most execution saved by a job: {}', { Intrepid: '76.0 %', Theta: '70.0 %', Mira: '82.0 %' }),
    half,
  ),
  claim(
    '6.3, Figure 7',
    'a single job saves at most 57 % on Intrepid and 61 % on Mira',
    compared(fig7, 'most saved by a single job, {}, RD', { Intrepid: '57.0 %', Mira: '61.0 %' }),
    half,
  ),
  claim(
    '6.3, Figure 7',
    'a single job saves at most 15 % on Theta',
    compared(fig7, 'most saved by a single job, {}, RD', { Theta: '15.0 %' }),
    machines,
  ),
  claim(
    '6.4, Figure 8',
    'cost of binomial communication saved: 3.4 % under greedy, 11 % under balanced and adaptive',
    compared(fig8, 'cost saved by {}, binomial, mean of the logs', {
      greedy: '3.4 %',
      balanced: '11.0 %',
      adaptive: '11.0 %',
    }),
    machines,
  ),
  claim('6.4, Figure 8', 'no algorithm has higher costs than the default', [
    ...costSaved('Intrepid', '2-16', '17-64', '65-256', '257-1024', '1025+'),
    ...costSaved('Theta', '2-16', '17-64', '65-256'),
    ...costSaved('Mira', '65-256', '257-1024', '1025+'),
  ]),
  claim(
    '6.4',
    'communication cost saved, by log and pattern',
    [
      ...compared(fig8, 'cost saved on average over the algorithms, Intrepid, {}', {
        RD: '5.56 %',
        RHVD: '5.72 %',
        Binomial: '5.72 %',
      }),
      ...compared(fig8, 'cost saved on average over the algorithms, Theta, {}', {
        RD: '15.88 %',
        RHVD: '17.84 %',
        Binomial: '15.87 %',
      }),
      ...compared(fig8, 'cost saved on average over the algorithms, Mira, {}', {
        RD: '5.48 %',
        RHVD: '6.09 %',
        Binomial: '5.40 %',
      }),
    ],
    machines,
  ),
  claim(
    '6.5, Figure 9',
    'saved under adaptive by the share of communicating jobs',
    [
      ...compared(fig9, 'turnaround saved by adaptive, {} communicate', { '30 %': '2.55 %', '90 %': '11.10 %' }),
      ...compared(fig9, 'node-hours saved by adaptive, {} communicate', { '30 %': '2.61 %', '90 %': '7.85 %' }),
    ],
    open(tried),
  ),
  claim(
    '6.5, Figure 9',
    'greedy saves 0.6 to 2.8 % of turnaround and 0.5 to 1.9 % of node-hours',
    [...byShare('Turnaround', 'Greedy', '0.6 to 2.8 %'), ...byShare('Node-hours', 'Greedy', '0.5 to 1.9 %')],
    open(tried),
  ),
  claim(
    '6.5, Figure 9',
    'balanced and adaptive save 2.2 to 11.1 % of turnaround and 2.3 to 7.8 % of node-hours',
    [
      ...byShare('Turnaround', 'Balanced', '2.2 to 11.1 %'),
      ...byShare('Turnaround', 'Adaptive', '2.2 to 11.1 %'),
      ...byShare('Node-hours', 'Balanced', '2.3 to 7.8 %'),
      ...byShare('Node-hours', 'Adaptive', '2.3 to 7.8 %'),
    ],
    open(tried),
  ),
  claim(
    '6.5',
    'turnaround saved, mean of the algorithms: 25.7 and 28.7 %',
    compared(table3, 'turnaround saved, mean of all: {}', { Theta: '25.7 %', Mira: '28.7 %' }),
    open(tried),
  ),
  claim(
    '6.5',
    'throughput grows by up to 31 % on Theta and 12.5 % on Mira',
    compared(table3, 'throughput gained at most: {}', { Theta: '0.0 to 31.0 %', Mira: '0.0 to 12.5 %' }),
    open(tried),
  ),
  claim(
    '7',
    'execution saved: 6 and 17 % over the algorithms, 16 % on Mira without greedy',
    [
      ...compared(table3, 'execution saved, mean of all: {}', { Intrepid: '6.0 %', Theta: '17.0 %' }),
      ...compared(table3, 'execution saved, mean of balanced and adaptive: {}', { Mira: '16.0 %' }),
    ],
    open(tried),
  ),
  claim(
    '7',
    'wait saved on Mira by balanced and adaptive: 71 %',
    derived('wait saved on Mira, mean of balanced and adaptive', '71.0 %', {
      meanOf: ['RHVD', 'RD'].flatMap((pattern) =>
        ['balanced', 'adaptive'].map((algorithm) => ({
          command: table3,
          statement: `wait saved by ${algorithm}, Mira, ${pattern}`,
        })),
      ),
    }),
    open(tried),
  ),
]
