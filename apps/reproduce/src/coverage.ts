import { Effect } from 'effect'
import type { Experiment } from './experiment/reproduction.ts'
import { reportOf } from './report/report.ts'

/** Figure, table, algorithm or claim of a paper, with the command or test that reproduces it. */
interface Item {
  /** Number and name of the item in the paper. */
  readonly item: string
  /** Command (without `cloister`) or tests that reproduce the item; undefined if nothing reproduces the item. */
  readonly command: string | undefined
  /**
   * Outcome of the reproduction.
   * - holds: every value lies in the paper's range, or outside by at most a tenth of the range; every claim holds.
   * - in part: some values or claims do not agree with the paper, or the inputs differ from the paper's inputs.
   * - does not hold: the reproduction does not have the paper's result.
   * - shown: tests check the paper's example or definition.
   * - none: no command and no test reproduces the item.
   */
  readonly verdict: 'holds' | 'in part' | 'does not hold' | 'shown' | 'none'
  /** Explanation of the verdict: parts of the item that are missing or different. */
  readonly remark?: string
}

/** Returns an item that `cloister reproduce NAME` reproduces. */
function reproduced(item: string, name: string, verdict: Item['verdict'], remark?: string): Item {
  return { item, command: `reproduce ${name}`, verdict, ...(remark === undefined ? {} : { remark }) }
}

/** Returns an item that a study of `cloister interference` reproduces. */
function studied(item: string, study: string, more: string = ''): Item {
  const remark = `placements, sizes and routes are not stated${more}`
  return { item, command: `interference --study ${study}`, verdict: 'in part', remark }
}

/** Returns an item that the tests of a package cover. @param filter folder of the package */
function tested(item: string, filter: string, remark?: string): Item {
  return { item, command: `(tests of ${filter})`, verdict: 'shown', ...(remark === undefined ? {} : { remark }) }
}

/** Returns an item that nothing reproduces. @param remark reason why */
function missing(item: string, remark: string): Item {
  return { item, command: undefined, verdict: 'none', remark }
}

const cab = "Cab's logs of 2014 are not public"

const jigsaw: ReadonlyArray<Item> = [
  tested('Figure 1, violations of full bandwidth', 'packages/policies/jigsaw'),
  tested('Figure 2, fragmentation under LaaS and TA', 'packages/policies/laas'),
  tested('Figure 3, a legal allocation', 'packages/policies/jigsaw'),
  tested(
    'Figure 4 and its theorem, any permutation is routed',
    'packages/network',
    'on small sizes; the proof is not repeated',
  ),
  tested('Figure 5, routing inside a partition', 'packages/network'),
  tested('Algorithm 1', 'packages/policies/jigsaw', 'a job on a single leaf holds uplinks only by an option'),
  reproduced('Table 1, traces', 'jigsaw-table1', 'in part', `Thunder and Atlas in every value; ${cab}`),
  reproduced(
    'Figure 6, utilization',
    'jigsaw-fig6',
    'in part',
    `TA only with the rules of 2017; LaaS on Atlas only with a larger window (near-misses); ${cab}`,
  ),
  reproduced('5.2.3, least constrained without sharing', 'jigsaw-fig6', 'holds', 'a claim without a value'),
  reproduced('5.4.3, on 1024 nodes', 'jigsaw-1024', 'holds'),
  reproduced(
    'Table 2, instantaneous utilization',
    'jigsaw-table2',
    'in part',
    'under first come, first served, which the paper does not say',
  ),
  reproduced('Figure 7, turnaround', 'jigsaw-fig7', 'in part', `claims on other logs; ${cab}`),
  reproduced(
    'Figure 8, makespan',
    'jigsaw-fig8',
    'in part',
    'a speed-up of 20 % saves more than in the paper; on Thunder TA pays with 10 %',
  ),
  reproduced(
    'Table 3, scheduling time',
    'jigsaw-table3',
    'in part',
    'only the order of the schemes: another machine and language',
  ),
  reproduced('5.4, random draws', 'jigsaw-spread', 'in part', 'the spread over seeds; the paper has one draw'),
  missing('Figures 6 and 7 and Table 3 on Cab', cab),
  missing(
    '5.4.3, the timeout of 5 s',
    'runs with a limit of time are not repeatable; our searches have a limit of steps',
  ),
]

const pascual: ReadonlyArray<Item> = [
  tested('Figure 1, the search for contiguous nodes', 'packages/policies/contiguous'),
  reproduced(
    'Figure 2, waits without speed-up',
    'pascual-fig2',
    'in part',
    'three of six ratios: HPC2N and SDSC without backfilling, LLNL with backfilling',
  ),
  reproduced(
    'Figure 3, total times of HPC2N',
    'pascual-fig3',
    'in part',
    '0.218 without backfilling, in the paper 0.25; 0.000 with backfilling',
  ),
  reproduced(
    'Figure 4, waits of HPC2N',
    'pascual-fig4',
    'in part',
    'with backfilling jobs wait less than half of their total time',
  ),
  reproduced(
    'Figure 5, total times of SDSC and LLNL',
    'pascual-fig5',
    'in part',
    'with backfilling the thresholds are far below the thresholds of the paper',
  ),
  reproduced(
    'III, backfilling, which the paper does not describe',
    'pascual-backfilling',
    'in part',
    'three readings, only on the whole log of HPC2N',
  ),
  reproduced(
    'Rounding of times to minutes',
    'pascual-rounding',
    'in part',
    'the spread of Figure 2 under first come, first served',
  ),
  missing('The logs as they were recorded', 'only cleaned logs of HPC2N and LLNL are at hand'),
  missing('Values of the figures', 'the figures have curves without numbers: only statements of the text are compared'),
]

const others = "claims on other logs; Cab's logs of 2014 are not public"

const pollard: ReadonlyArray<Item> = [
  missing(
    'Figure 1, hops of real allocations',
    "needs node lists, which SWF's 18 fields and the six columns of ALCF's lists do not have",
  ),
  tested('Figures 2 to 4, allocations on a tree of radix 6', 'packages/policies/ta'),
  tested('Algorithm 1', 'packages/policies/ta'),
  reproduced('Figures 5 and 11, nodes requested', 'pollard-fig5', 'in part', others),
  reproduced('Figures 6 and 12, sizes', 'pollard-fig6', 'in part', others),
  reproduced('Figure 7, hops', 'pollard-fig7', 'in part', others),
  studied('V-B, slowdown by other jobs, Cab', 'cab'),
  studied('V-B, small jobs', 'cab-small'),
  studied('V-B, 30 % communication', 'cab-computing'),
  studied('V-B, the simulated tree', 'simulation', '; three routings'),
  reproduced('Figure 8, utilization by the minute', 'pollard-fig8', 'in part', others),
  reproduced('Figure 9, makespans', 'pollard-fig9', 'in part', others),
  reproduced('Figure 10, waits by size', 'pollard-fig10', 'in part', others),
  reproduced('Table I, mean waits', 'pollard-table1', 'in part', others),
  reproduced('VII, a speed-up of 10 % pays for isolation', 'pollard-fig9', 'in part', others),
  reproduced('V-E, further waits', 'pollard-fig10', 'in part', "compared only if Cab's logs of 2014 are at hand"),
]

const mishra: ReadonlyArray<Item> = [
  missing(
    'Figure 1, two jobs that disturb each other, and the correlation of 5.3',
    'cannot be compared: a measurement; in a model of two switches the contention factor has two values',
  ),
  tested('Figure 2, a tree of switches', 'packages/topology'),
  tested('Figure 3, steps of recursive doubling', 'packages/communication'),
  tested('Table 1, equations 2 to 7, Figure 5', 'packages/communication'),
  tested('Algorithm 1, greedy', 'packages/policies/greedy'),
  tested('Algorithm 2, Figure 4, Table 2, balanced', 'packages/policies/balanced'),
  reproduced(
    'Table 3, hours in continuous runs',
    'mishra-table3',
    'in part',
    'greedy loses little on Mira; waits on Mira fall by half of the share in the paper',
  ),
  reproduced('5, points that the paper leaves open', 'mishra-readings', 'in part', 'one reading changed at a time'),
  reproduced(
    'Figure 6, mixtures of patterns',
    'mishra-fig6',
    'in part',
    'only the order of the sets; the values contradict Table 3',
  ),
  reproduced('Table 4, single jobs', 'mishra-table4', 'in part', 'on Theta with RD; other jobs save less'),
  reproduced('Figure 7, single jobs of Theta', 'mishra-fig7', 'in part', 'the most that a job saves is less'),
  reproduced(
    'Figure 8, costs',
    'mishra-fig8',
    'in part',
    'nearly for binomial; Theta saves twice as much with other patterns',
  ),
  reproduced('Figure 9, share of jobs that communicate', 'mishra-fig9', 'in part', 'greedy saves nothing'),
]

const combal: ReadonlyArray<Item> = [
  tested('The example of three switches: Combal, uCombal', 'packages/policies/combal'),
  tested('The cost model and its contention factor', 'packages/communication'),
  tested('The partitioner', 'packages/communication', "our own partitioner; tests compare its cuts with gpmetis's"),
  reproduced('Execution of Intrepid', 'combal-table', 'in part', 'programs and matrices are ours'),
  reproduced('Wait of Mira', 'combal-table', 'in part', 'programs and matrices are ours'),
  reproduced('Execution of Theta', 'combal-table', 'in part', 'programs and matrices are ours'),
  reproduced('Wait of Theta', 'combal-table', 'in part', 'programs and matrices are ours'),
  reproduced(
    'Bytes between and inside switches, Theta',
    'combal-switches',
    'holds',
    'only the order of the algorithms: the slides have bars without numbers',
  ),
  reproduced(
    'HPCG of 64 ranks',
    'combal-hpcg',
    'does not hold',
    'the order on the slides saves nothing; the best order found saves less than on the slides',
  ),
  missing(
    'Sizes and programs of the logs, hop-bytes by class',
    'matrices, the selection of jobs, and the runs under Slurm are not public',
  ),
]

/** Figures, tables, algorithms and claims of each paper, with the commands or tests that reproduce them. */
export const papers: ReadonlyArray<{ readonly paper: string; readonly items: ReadonlyArray<Item> }> = [
  { paper: 'Jigsaw', items: jigsaw },
  { paper: 'Pascual', items: pascual },
  { paper: 'Pollard', items: pollard },
  { paper: 'Mishra', items: mishra },
  { paper: 'Combal', items: combal },
]

const verdicts = ['holds', 'in part', 'does not hold', 'shown', 'none'] as const

/** Experiment that lists the items of all papers (figures, tables, algorithms, claims) and simulates nothing. */
export const coverage: Experiment = Effect.succeed(
  reportOf([
    {
      title: 'Every item',
      heading: ['paper', 'item', 'command', 'verdict', 'remark'],
      rows: papers.flatMap(({ paper, items }) =>
        items.map(({ item, command, verdict, remark }) => [paper, item, command ?? '-', verdict, remark ?? '']),
      ),
    },
    {
      title: 'How many',
      heading: ['paper', 'items', ...verdicts],
      rows: papers.map(({ paper, items }) => [
        paper,
        String(items.length),
        ...verdicts.map((each) => String(items.filter(({ verdict }) => verdict === each).length)),
      ]),
    },
  ]),
)
