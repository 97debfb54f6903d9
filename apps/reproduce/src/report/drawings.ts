// Lists the charts of stored outputs. An experiment without an entry has no chart.
import { type BarChart, relativeAxis, utilizationAxis } from './report.ts'

/** Rules by which tables of an experiment become charts. */
export interface Drawing {
  /** Titles of the tables; all tables if absent. The group `label` shortens a title. */
  readonly tables?: RegExp
  /** Title of a chart; the title of the table follows if the output has several such tables. */
  readonly title: string
  readonly kind?: 'rows'
  /** Number of columns before the values, whose cells are the label of a row; 1 if absent. */
  readonly labels?: number
  /** Labels of the drawn rows, and headings of the drawn columns; all if absent. The group `label` shortens a name. */
  readonly rows?: RegExp
  readonly columns?: RegExp
  /** True to draw a chart for each value of the first column. */
  readonly split?: true
  /** True to draw columns as groups, and rows as series. */
  readonly transposed?: true
  /** Column whose values divide the other columns. */
  readonly over?: string
  /** Text of the legend about empty bars: the values of every second column are empty bars around the bars before. */
  readonly outlined?: string
  /** True if the columns are least value, quartiles and largest value. */
  readonly quartiles?: true
  /** Axis, or only the label of an axis from 0, or from the least negative value, to the largest value. */
  readonly axis: BarChart['axis'] | string
}

const highUtilization: BarChart['axis'] = { ...utilizationAxis, from: 0.9, step: 0.02 }
const relative = (what: string): string => `${what} relative to Baseline`

/** Drawings by the name of the experiment: the word after `cloister reproduce`, or `interference`. */
export const drawings: Readonly<Record<string, ReadonlyArray<Drawing>>> = {
  'jigsaw-fig6': [{ tables: /^Utilization$/, title: 'Average system utilization', axis: utilizationAxis }],
  'jigsaw-1024': [{ tables: /^Utilization$/, title: 'Average system utilization', axis: utilizationAxis }],
  'jigsaw-bounds': [
    {
      tables: /^Utilization$/,
      title: 'Average system utilization by the bound on the steps of a search',
      rows: /^(?<label>LC, .*|Jigsaw)$/,
      transposed: true,
      axis: highUtilization,
    },
  ],
  'jigsaw-table2': [
    {
      tables: /^Samples/,
      title: 'Samples by utilization on Thunder, first come, first served, beside the paper',
      rows: /^(?<label>(?:LaaS|Jigsaw|TA), paper|(?:LaaS|Jigsaw) bench|TA, fewest free first)(?:, FCFS)?$/,
      axis: 'Share of the samples',
    },
  ],
  'jigsaw-fig7': [
    {
      tables: /: all jobs, jobs over 100 nodes$/,
      title: relative('Mean turnaround'),
      outlined: 'filled: all jobs; empty: jobs over 100 nodes',
      axis: relativeAxis(relative('Turnaround'), 0, 2, 0.25),
    },
  ],
  'jigsaw-fig8': [{ title: relative('Makespan'), axis: relativeAxis(relative('Makespan'), 0.7, 1.2, 0.1) }],
  'mishra-fig6': [{ tables: /execution saved/, title: 'Execution saved', axis: 'Execution saved' }],
  'mishra-table3': [
    {
      tables: /^Saved of the (?<label>execution|wait)/,
      title: 'Saved by log and pattern',
      labels: 2,
      rows: /^(Intrepid|Theta|Mira) /,
      axis: 'Saved',
    },
  ],
  'mishra-table4': [
    {
      tables: /^Execution saved/,
      title: 'Single jobs, every second job ended',
      labels: 3,
      rows: /^(?<label>.*) every second ended$/,
      axis: 'Execution saved',
    },
  ],
  'mishra-fig7': [{ title: 'Theta, RD, by quarter of the jobs', axis: 'Hours of execution' }],
  'mishra-fig8': [
    { title: 'Mean cost by nodes, binomial', labels: 2, split: true, columns: /^[A-Z]/, axis: 'Mean cost' },
  ],
  'mishra-fig9': [{ tables: /saved/, title: 'Intrepid, by share of jobs that communicate', axis: 'Saved' }],
  mosaic: [{ tables: /^Under/, title: 'Average system utilization', axis: utilizationAxis }],
  sharing: [{ tables: /^Mean of/, title: 'Average system utilization', axis: { ...highUtilization, from: 0.86 } }],
  tapers: [
    {
      tables: /^Utilization/,
      title: 'Utilization by taper and absent parts, without TA',
      kind: 'rows',
      labels: 3,
      rows: /^(?:1,440 nodes )?(?<label>.*)$/,
      columns: /^(?!TA$)/,
      axis: { ...highUtilization, from: 0.88 },
    },
  ],
  'mosaic-arrivals': [
    {
      tables: /^(?<label>.*), relative to Baseline$/,
      title: relative('Mean turnaround'),
      columns: /: all$/,
      axis: relativeAxis(relative('Turnaround'), 0, 2, 0.25),
    },
  ],
  'mosaic-ablation': [{ title: 'Utilization', kind: 'rows', axis: highUtilization }],
  'mosaic-queue': [
    {
      title: 'Utilization by options of EASY',
      kind: 'rows',
      transposed: true,
      axis: { ...highUtilization, from: 0.88 },
    },
  ],
  'mosaic-other-logs': [{ title: 'Utilization', axis: highUtilization }],
  calibration: [
    {
      tables: /^(?<label>[^:]*): waits/,
      title: 'Recorded and simulated mean waits in hours',
      rows: /^(?!fcfs$)/,
      columns: /^(?<label>recorded mean|mean), h$/,
      kind: 'rows',
      axis: 'Mean wait in hours',
    },
  ],
  ...Object.fromEntries(
    ['migration', 'migration-two', 'migration-mosaic'].map((name) => [
      name,
      [
        {
          tables: /^By the cost/,
          title: 'Utilization, without the time that moves cost',
          kind: 'rows' as const,
          labels: 2,
          columns: /^without moves$/,
          axis: { ...highUtilization, from: 0.84 },
        },
      ],
    ]),
  ),
  routers: [
    {
      tables: /^Slowdown/,
      title: 'Mean slowdown by contention, by share of communication',
      axis: relativeAxis('Slowdown', 1, 1.3, 0.1),
    },
  ],
  'isolation-pays': [
    {
      title: 'Jigsaw relative to Baseline, by share of communication',
      columns: /^(makespan|mean turnaround)$/,
      axis: relativeAxis('Jigsaw relative to Baseline', 0.5, 1.1, 0.1),
    },
  ],
  'isolation-pays-by-log': [
    {
      tables: /^Mean turnaround relative/,
      title: 'Mean turnaround relative to Baseline, by share of communication',
      labels: 2,
      split: true,
      columns: /^(LC\+S|Jigsaw|LaaS|TA)$/,
      axis: relativeAxis(relative('Turnaround'), 0, 2, 0.25),
    },
  ],
  'near-misses': [
    {
      tables: /^Utilization/,
      title: 'Utilization under LaaS by reading',
      kind: 'rows',
      axis: { ...highUtilization, from: 0.86 },
    },
    {
      tables: /^Makespan/,
      title: 'Makespan of Jigsaw over the makespan of Baseline by reading',
      kind: 'rows',
      axis: { ...relativeAxis('Relative makespan', 0.8, 0.9, 0.02), reference: 0.85 },
    },
  ],
  'packing-rules': [
    {
      tables: /^(?<label>Thunder|Synth-16) on/,
      title: 'Utilization by packing rule',
      kind: 'rows',
      columns: /^utilization$/,
      axis: { ...highUtilization, from: 0.88 },
    },
    {
      tables: /^(?<label>Thunder|CEA-Curie|Theta), at 200/,
      title: 'Free nodes in whole blocks by packing rule',
      kind: 'rows',
      columns: /^blocks/,
      axis: 'Share of the free nodes',
    },
  ],
  'pascual-fig2': [
    {
      title: 'Mean wait relative to non-contiguous',
      columns: /, relative$/,
      axis: relativeAxis('Wait relative to non-contiguous', 0, 10, 1, 1),
    },
  ],
  ...Object.fromEntries(
    ['pascual-fig3', 'pascual-fig4', 'pascual-fig5'].map((name) => [
      name,
      [
        {
          tables: /: mean /,
          title: 'By speed-up, relative to non-contiguous',
          over: 'non-contiguous',
          axis: relativeAxis('Time relative to non-contiguous', 0, 2, 0.25),
        },
      ],
    ]),
  ),
  'pollard-table1': [
    { title: 'Mean wait relative to TO', over: 'TO', axis: relativeAxis('Wait relative to TO', 0, 2.5, 0.5, 1) },
  ],
  'pollard-fig5': [
    { title: 'Nodes requested an hour', columns: /^mean$/, kind: 'rows', axis: 'Mean nodes requested an hour' },
  ],
  'pollard-fig6': [{ title: 'Share of the jobs by nodes', rows: /^(?!.*-2x)/, axis: 'Share of the jobs' }],
  'pollard-fig7': [
    {
      tables: /pairwise hops$/,
      title: 'Average pairwise hops by nodes, median and quartiles',
      labels: 1,
      kind: 'rows',
      quartiles: true,
      axis: { label: 'Hops', from: 0, to: 4, step: 1, unit: 'ratio', digits: 0 },
    },
  ],
  'pollard-fig8': [
    {
      title: 'Utilization by the minute, median and quartiles',
      kind: 'rows',
      quartiles: true,
      axis: { ...utilizationAxis, label: 'Utilization', from: 0, step: 0.2 },
    },
  ],
  'pollard-fig9': [
    { title: 'Makespan relative to TO', over: 'TO', axis: relativeAxis('Makespan relative to TO', 0.8, 1.2, 0.1) },
  ],
  'pollard-fig10': [
    {
      tables: /mean wait/,
      title: 'Mean wait by nodes',
      columns: /^(?<label>\S+)( nodes)?$/,
      rows: /^(TO|TA|TA 10%|TA 20%|TA V2)$/,
      transposed: true,
      axis: 'Mean wait in hours',
    },
  ],
  'combal-table': [
    {
      tables: /cost effective, old cost of the default run/,
      title: 'Relative to the default',
      over: 'Default',
      axis: relativeAxis('Hours relative to the default', 0, 1.25, 0.25),
    },
  ],
  'combal-switches': [
    {
      tables: /^Bytes/,
      title: 'Relative to the default',
      axis: relativeAxis('Bytes relative to the default', 0, 1.25, 0.25),
    },
  ],
  interference: [
    {
      tables: /^Mean speed-ups, (?<label>.*)/,
      title: 'Mean speed-up by isolation, beside the paper',
      labels: 2,
      split: true,
      axis: relativeAxis('Time of an iteration under TO over TA', 0, 3, 0.5, 1),
    },
  ],
}
