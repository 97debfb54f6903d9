// Claims of Smith and Lowenthal, Jigsaw, HPDC 2021: the results of section 6.
import { cells, type Claim, claim, compared, each, explained, notCompared, open, stated, type Values } from './claim.ts'
import { cab, synthetic, traces } from './jigsaw-schemes.ts'

const [fig6, fig7, fig8] = ['fig6', 'fig7', 'fig8'].map((figure) => `reproduce jigsaw-${figure}`)
const [table2, table3] = ['reproduce jigsaw-table2', 'reproduce jigsaw-table3']
const scale = 'reproduce jigsaw-scale'
const bench = 'reproduce jigsaw-bench'

/** Table of the turnarounds on a log; its columns are schemes, and `SCHEME, large` for jobs over 100 nodes. */
const turnarounds = (log: string): string => `${log}: all jobs, jobs over 100 nodes`

/** Returns the turnarounds under Jigsaw on a log with speed-ups of 10 and 20 %, of all jobs and of large jobs. */
function withSpeedups(log: string): Values {
  const cases = each(['10%', '20%'], 'at most 1.000')
  return [...cells(fig7, turnarounds(log), 'Jigsaw', cases), ...cells(fig7, turnarounds(log), 'Jigsaw, large', cases)]
}

/** Everything that was tried for TA. */
const openTa = open(
  'eight forms of TA: any or whole leaves, any or whole pods, most or fewest free nodes first (reproduce jigsaw-ta)',
)

const bins = ['98 % and more', '95 to 97 %', '90 to 94 %', '80 to 89 %', '60 to 79 %', 'under 60 %']

/** Returns the values of a row of Table 2 by bin. */
function binsOf(...shares: ReadonlyArray<string>): Readonly<Record<string, string>> {
  return Object.fromEntries(bins.map((bin, at) => [bin, shares[at]]))
}

export const jigsawResults: ReadonlyArray<Claim> = [
  claim(
    '6',
    'Jigsaw is 3 to 5 points behind Baseline',
    compared(fig6, 'Jigsaw behind Baseline, {}', each(traces, '3.0 to 5.0 points')),
  ),
  claim(
    '6.1, Figure 6',
    'utilization under Baseline is 97 to 100 %',
    compared(fig6, 'utilization under Baseline, {}', each([...synthetic, 'Thunder'], '97.0 to 100.0 %')),
  ),
  claim(
    'Abstract, 6.1, Figure 6',
    'utilization under Jigsaw is 95 to 96 %, on Atlas 92 %',
    compared(fig6, 'utilization under Jigsaw, {}', {
      ...each([...synthetic, 'Thunder'], '95.0 to 96.0 %'),
      Atlas: '92.0 %',
    }),
  ),
  claim(
    '6.1, Figure 6',
    'every scheme has its lowest utilization on Atlas',
    stated(fig6, 'every scheme has its lowest utilization on Atlas'),
  ),
  claim(
    '6.1, Figure 6',
    'utilization under TA is 85 to 88 %',
    compared(fig6, 'utilization under TA 2017, {}', each(traces, '85.0 to 88.0 %')),
  ),
  claim(
    '6.1, Figure 6',
    'utilization under LaaS is 90 to 91 %, on one trace 93 %',
    [
      ...compared(fig6, 'utilization under LaaS, {}', each([...synthetic, 'Atlas'], '90.0 to 91.0 %')),
      ...compared(fig6, 'LaaS on {}', { 'its best trace': '93.0 %' }),
    ],
    explained(bench, 'the search released with LaaS, which is not exhaustive, has the values of the paper'),
  ),
  claim('6.1, Figure 6', 'utilization in whole percents, with the generator and the search released with LaaS', [
    ...compared(bench, 'utilization under Jigsaw bench, rounded: {}', {
      ...each([...synthetic.map((trace) => `${trace} bench`), 'Thunder'], '95.0 to 96.0 %'),
      Atlas: '92.0 %',
    }),
    ...compared(bench, 'utilization under LaaS bench, rounded: {}', {
      ...each(
        synthetic.map((trace) => `${trace} bench`),
        '90.0 to 91.0 %',
      ),
      Atlas: '90.0 to 91.0 %',
    }),
    ...compared(bench, 'utilization under LaaS bench {}, rounded', { 'on its best trace': '93.0 %' }),
    ...compared(
      bench,
      'utilization under TA 2017, rounded: {}',
      each([...synthetic.map((trace) => `${trace} bench`), 'Thunder', 'Atlas'], '85.0 to 88.0 %'),
    ),
  ]),
  claim('6.1', 'LaaS allocates 3 to 7 % of the nodes beyond the requests, on Thunder 3 %', [
    ...compared(fig6, 'nodes that LaaS allocates beyond the request, {}', {
      'mean of the traces': '3.0 to 7.0 %',
      Thunder: '3.0 %',
    }),
  ]),
  claim(
    '6.1',
    'LC+S is at most 3.7 points ahead of Jigsaw',
    compared(fig6, 'LC+S ahead of Jigsaw, {}', { 'at most': '0.0 to 3.7 points' }),
  ),
  claim(
    '6.1, Figure 6',
    'the order of the schemes by utilization',
    stated(fig6, 'Baseline > LC+S > Jigsaw - 0.5 points; Jigsaw > LaaS > TA: {}', ...traces),
  ),
  notCompared(
    '6.1, Figure 6',
    'utilization on four months of Cab: 95 to 96 % under Jigsaw, 93 % in October',
    cab,
    fig6,
  ),
  claim(
    '6.1, Table 2',
    "samples of Jigsaw's utilization: a quarter at 98 % and more",
    compared(table2, 'samples at {}: Jigsaw, FCFS', binsOf('25.6 %', '24.5 %', '23.8 %', '17.3 %', '8.1 %', '0.7 %')),
    explained('jigsaw.md', 'the search released with LaaS comes within 0.4 points'),
  ),
  claim(
    '6.1, Table 2',
    "samples of LaaS's utilization: nearly none at 98 % and more",
    compared(table2, 'samples at {}: LaaS, FCFS', binsOf('2.0 %', '25.4 %', '36.9 %', '24.9 %', '10.1 %', '0.8 %')),
    explained(
      'jigsaw.md',
      'the search released with LaaS comes within 1.5 points, with the number of samples of the paper',
    ),
  ),
  claim(
    '6.1, Table 2',
    "samples of TA's utilization: a tenth at 98 % and more",
    compared(table2, 'samples at {}: TA 2017, FCFS', binsOf('9.7 %', '12.8 %', '22.2 %', '32.3 %', '20.3 %', '2.7 %')),
    openTa,
  ),
  claim(
    '6.1',
    'samples under 80 %: less than a tenth under Jigsaw, a quarter under TA',
    compared(table2, 'samples under 80 %: {}', {
      'Jigsaw, FCFS': '8.8 %',
      'LaaS, FCFS': '10.9 %',
      'TA 2017, FCFS': '23.0 %',
    }),
    open(
      'the search released with LaaS, which comes within 0.4 points under Jigsaw (jigsaw.md); every form of TA (reproduce jigsaw-ta)',
    ),
  ),
  claim(
    '6.1, Table 2',
    'number of samples',
    compared(table2, 'samples in all: {}', each(['Jigsaw, FCFS', 'LaaS, FCFS', 'TA 2017, FCFS'], '211,449')),
  ),
  claim(
    '6.1, Table 2',
    'the samples are from runs with backfilling',
    cells(table2, 'Samples by whole percents, cut off', '98 % and more', {
      'Jigsaw, EASY': '25.6 %',
      'LaaS, EASY': '2.0 %',
      'TA 2017, EASY': '9.7 %',
    }),
    explained('jigsaw.md', 'runs under first come, first served have the numbers of Table 2'),
  ),
  claim(
    '6.1, Figure 6, Table 2',
    'the same TA has the utilization of Figure 6 and the samples of Table 2',
    stated('reproduce jigsaw-ta', 'a form of TA is within half a point of Figure 6 and of Table 2'),
    openTa,
  ),
  notCompared(
    '6.2, Figure 7',
    'mean turnarounds on two months of Cab: 0.89 of Baseline under Jigsaw with a speed-up of 10 %',
    cab,
    fig7,
  ),
  claim(
    '6.2, Figure 7',
    "with speed-ups of 10 and 20 % Jigsaw's turnaround is shorter than Baseline's, also for large jobs",
    [...withSpeedups('SDSC-BLUE'), ...withSpeedups('Theta')],
  ),
  claim(
    '6.2, Figure 7',
    'large jobs wait longer than small jobs under Jigsaw',
    cells(fig7, turnarounds('SDSC-BLUE'), 'Jigsaw, large', each(['None', '5%', 'V2', 'Random'], 'at least 1.000')),
  ),
  claim(
    '6.2, Figure 7',
    "Jigsaw's turnaround is shorter than TA's in every scenario",
    stated(fig7, "Jigsaw's turnaround is shorter than that of TA in every scenario: {}", 'SDSC-BLUE', 'Theta'),
  ),
  claim(
    '6.2, Figure 7',
    "Jigsaw's turnaround is shorter than LaaS's in every scenario",
    stated(fig7, "Jigsaw's turnaround is shorter than that of LaaS in every scenario: {}", 'SDSC-BLUE', 'Theta'),
    explained(
      'jigsaw.md',
      'on Theta the two are nearly equal in one scenario; with movable reservations the claim holds',
    ),
  ),
  claim(
    '6.3, Figure 8',
    'without speed-ups makespans grow by 5, 6, 8 and 14 % under LC+S, Jigsaw, LaaS and TA',
    compared(fig8, 'worst makespan under {}, no speed-up', {
      'LC+S': '1.050',
      Jigsaw: '1.060',
      LaaS: '1.080',
      'TA 2017': '1.140',
    }),
    open(
      'movable reservations (jigsaw.md), five draws (reproduce jigsaw-spread), the search released with LaaS, which comes nearer (reproduce jigsaw-bench)',
    ),
  ),
  claim(
    '6.3, Figure 8',
    "with speed-ups Jigsaw's makespan is never longer than Baseline's",
    compared(fig8, 'worst makespan under Jigsaw with {}', { 'speed-ups': 'at most 1.000' }),
  ),
  claim(
    '6.3, Figure 8',
    "with speed-ups Jigsaw's makespan is up to 15 % shorter",
    compared(fig8, 'best makespan under Jigsaw with {}', { 'speed-ups': '0.850' }),
    explained('near-misses.md', 'the paper may read a speed-up of 20 % as 1 / 1.2 of the time'),
  ),
  claim(
    '6.3, Figure 8',
    "only a speed-up of 20 % makes TA's makespan shorter than Baseline's",
    stated(fig8, 'makespan under {} is longer than under Baseline except at a speed-up of 20%', 'TA 2017'),
  ),
  claim(
    '6.3, Figure 8',
    "LaaS's makespan is between Jigsaw's and TA's",
    stated(fig8, 'makespan under LaaS is between those under Jigsaw and TA'),
  ),
  claim(
    '6.4, Table 3',
    'scheduling time per job',
    [
      ...compared(table3, 'scheduling a job under TA, {}', {
        'Synth-16': '2,830 µs',
        Thunder: '1,280 µs',
        'Synth-28': '7,090 µs',
      }),
      ...compared(table3, 'scheduling a job under LaaS, {}', {
        'Synth-16': '2,940 µs',
        Thunder: '1,060 µs',
        'Synth-28': '9,470 µs',
      }),
      ...compared(table3, 'scheduling a job under Jigsaw, {}', {
        'Synth-16': '3,050 µs',
        Thunder: '1,040 µs',
        'Synth-28': '9,980 µs',
      }),
      ...compared(table3, 'scheduling a job under LC+S, {}', {
        'Synth-16': '55,500 µs',
        Thunder: '53,330 µs',
        'Synth-28': '255,000 µs',
      }),
    ],
    explained('jigsaw.md', 'another computer and another language'),
  ),
  notCompared('6.4, Table 3', 'scheduling time per job on a month of Cab', cab, table3),
  claim(
    '6.4',
    'scheduling a job takes at most 10 ms under Jigsaw, also far beyond 5488 nodes',
    compared(
      scale,
      'scheduling a job under Jigsaw on {} nodes',
      each(['1,024', '5,488', '8,192', '16,000'], 'at most 10,000 µs'),
    ),
  ),
  claim(
    '6.4',
    'under LC+S scheduling takes 255 ms on 5488 nodes, far more than under Jigsaw, and more on larger machines',
    [
      ...compared(scale, 'scheduling a job under LC+S on {} nodes', { '5,488': '255,000 µs' }),
      ...compared(scale, 'scheduling a job under LC+S on {} nodes, over Jigsaw', { '5,488': '25.5' }),
      ...stated(scale, 'scheduling under LC+S takes longer on every larger machine'),
    ],
    explained('search-bounds.md', 'another computer, and searches that end after a number of steps'),
  ),
]
