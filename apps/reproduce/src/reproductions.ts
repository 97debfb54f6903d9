import { type Listed, onDemand, type Reproduction, type WithoutLogs } from './experiment/reproduction.ts'

const none = (reason: string): { readonly withoutLogs: WithoutLogs } => ({ withoutLogs: { runs: 'none', reason } })
const describesLogs = none('it describes job logs and simulates nothing')

/** Reproductions of the Jigsaw paper, by Smith and Lowenthal. */
const jigsaw: ReadonlyArray<Listed> = [
  {
    name: 'jigsaw-table1',
    title: 'Characteristics of the traces',
    source: 'Jigsaw paper, section 5.1, Table 1',
    ...describesLogs,
    produce: onDemand(() => import('./jigsaw/tables.ts'), 'table1'),
  },
  {
    name: 'jigsaw-fig6',
    title: 'Average system utilization',
    source: 'Jigsaw paper, section 6.1, Figure 6',
    produce: onDemand(() => import('./jigsaw/utilization.ts'), 'fig6'),
  },
  {
    name: 'jigsaw-1024',
    title: 'Average system utilization on 1024 nodes',
    source: 'Jigsaw paper, section 5.4.3',
    produce: onDemand(() => import('./jigsaw/utilization.ts'), 'on1024Nodes'),
  },
  {
    name: 'jigsaw-table2',
    title: 'Instantaneous utilization on Thunder: samples at each start and each end of a job, until the last start',
    source:
      'Jigsaw paper, section 6.1, Table 2; under first come, first served (FCFS), which gives the numbers of Table 2, and under EASY',
    produce: onDemand(() => import('./jigsaw/tables.ts'), 'table2'),
  },
  {
    name: 'jigsaw-fig7',
    title: 'Average turnaround time relative to Baseline, of all jobs and of jobs over 100 nodes',
    source: 'Jigsaw paper, section 6.2, Figure 7; on Cab, and on other logs with real arrivals',
    produce: onDemand(() => import('./jigsaw/speedups.ts'), 'fig7'),
  },
  {
    name: 'jigsaw-fig8',
    title: 'Makespan relative to Baseline',
    source: 'Jigsaw paper, section 6.3, Figure 8',
    produce: onDemand(() => import('./jigsaw/speedups.ts'), 'fig8'),
  },
  {
    name: 'jigsaw-bench',
    title: 'Utilization and makespan on the bench of the authors: the generator and the search released with LaaS',
    source: 'Jigsaw paper, sections 5.1, 5.3, 6.1 and 6.3, Figures 6 and 8',
    produce: onDemand(() => import('./jigsaw/bench.ts'), 'bench'),
  },
  {
    name: 'jigsaw-ta',
    title: 'Utilization and instantaneous utilization under every form of TA',
    source: 'Jigsaw paper, section 6.1, Figure 6 and Table 2, on the bench of the authors',
    produce: onDemand(() => import('./jigsaw/ta-forms.ts'), 'taForms'),
  },
  {
    name: 'jigsaw-table3',
    title: 'Scheduling time per job',
    source: 'Jigsaw paper, section 6.4, Table 3; here each run in a separate process, one after the other',
    withoutLogs: { runs: 'timed', reason: 'it times the scheduler in processes that write none' },
    produce: onDemand(() => import('./jigsaw/tables.ts'), 'table3'),
  },
  {
    name: 'jigsaw-bounds',
    title: 'Utilization under least-constrained placement by the bound on the steps of a search',
    source: 'ours, beside sections 5.2.3 and 5.4.3 of the Jigsaw paper, whose searches end after 5 seconds',
    produce: onDemand(() => import('./jigsaw/searches.ts'), 'bounds'),
  },
  {
    name: 'jigsaw-scale',
    title: 'Scheduling time per job on machines of 1,024 to 16,000 nodes',
    source: 'Jigsaw paper, section 6.4; here each run in a separate process, one after the other',
    withoutLogs: { runs: 'timed', reason: 'it times the scheduler in processes that write none' },
    produce: onDemand(() => import('./jigsaw/searches.ts'), 'scale'),
  },
  {
    name: 'jigsaw-spread',
    title: 'Utilization and makespan over seeds that draw jobs, bandwidths and speed-ups',
    source: 'ours, beside Figures 6 and 8 of the Jigsaw paper',
    produce: onDemand(() => import('./jigsaw/utilization.ts'), 'spread'),
  },
]

/** Reproductions of the Pascual paper, by Pascual and Miguel-Alonso. */
const pascual: ReadonlyArray<Listed> = [
  {
    name: 'pascual-fig2',
    title: 'Mean wait under contiguous allocation without speed-up, relative to non-contiguous',
    source: 'Pascual and Miguel-Alonso, section IV, Figure 2',
    produce: onDemand(() => import('./pascual/speedups.ts'), 'waitsOfContiguous'),
  },
  {
    name: 'pascual-fig3',
    title: 'Mean total time on HPC2N by speed-up factor, contiguous and not',
    source: 'Pascual and Miguel-Alonso, section IV, Figure 3',
    produce: onDemand(() => import('./pascual/speedups.ts'), 'totalsOfHpc2n'),
  },
  {
    name: 'pascual-fig4',
    title: 'Mean wait on HPC2N by speed-up factor, contiguous and not',
    source: 'Pascual and Miguel-Alonso, section IV, Figure 4',
    produce: onDemand(() => import('./pascual/speedups.ts'), 'waitsOfHpc2n'),
  },
  {
    name: 'pascual-fig5',
    title: 'Mean total time on SDSC and LLNL by speed-up factor, contiguous and not, with backfilling',
    source: 'Pascual and Miguel-Alonso, section IV, Figure 5',
    produce: onDemand(() => import('./pascual/speedups.ts'), 'totalsOfOthers'),
  },
  {
    name: 'pascual-backfilling',
    title: 'Waits and thresholds under weaker readings of backfilling',
    source: 'Pascual and Miguel-Alonso, section III; ours',
    produce: onDemand(() => import('./pascual/readings.ts'), 'backfilling'),
  },
  {
    name: 'pascual-rounding',
    title: 'Waits under contiguous beside first fit, by seconds added before times are rounded to minutes',
    source: 'ours, beside Pascual and Miguel-Alonso, Figure 2',
    produce: onDemand(() => import('./pascual/readings.ts'), 'rounding'),
  },
]

/** Reproductions of the Mishra paper, by Mishra, Agrawal and Malakar. */
const mishra: ReadonlyArray<Listed> = [
  {
    name: 'mishra-table3',
    title: 'Hours of execution and of waiting, in continuous runs',
    source: 'Mishra et al., section 6.1, Table 3',
    readsRecords: true,
    produce: onDemand(() => import('./mishra/continuous-runs.ts'), 'table3'),
  },
  {
    name: 'mishra-decisions',
    title: 'Time of a decision under the three algorithms',
    source: 'Mishra et al., section 5.2; here each run in a separate process, one after the other',
    withoutLogs: { runs: 'timed', reason: 'it times the scheduler in processes that write none' },
    produce: onDemand(() => import('./mishra/decision-time.ts'), 'decisionTime'),
  },
  {
    name: 'mishra-readings',
    title: 'Results under other readings of points that the paper leaves open, changed one at a time',
    source: 'Mishra et al., section 5; ours',
    produce: onDemand(() => import('./mishra/readings.ts'), 'readings'),
  },
  {
    name: 'mishra-table4',
    title: 'Execution saved by single jobs, each put into the same machine',
    source: 'Mishra et al., section 6.3, Table 4',
    readsRecords: true,
    produce: onDemand(() => import('./mishra/single-jobs.ts'), 'table4'),
  },
  {
    name: 'mishra-fig6',
    title: 'Execution saved with mixtures of patterns, sets A to E',
    source: 'Mishra et al., section 6.2, Figure 6',
    produce: onDemand(() => import('./mishra/continuous-runs.ts'), 'fig6'),
  },
  {
    name: 'mishra-fig7',
    title: 'Execution of single jobs of Theta, quarter by quarter',
    source: 'Mishra et al., section 6.3, Figure 7 (its right half; its left half is mishra-table3)',
    readsRecords: true,
    produce: onDemand(() => import('./mishra/single-jobs.ts'), 'fig7'),
  },
  {
    name: 'mishra-fig8',
    title: 'Communication cost of a job, by algorithm and number of nodes',
    source: 'Mishra et al., section 6.4, Figure 8',
    readsRecords: true,
    produce: onDemand(() => import('./mishra/single-jobs.ts'), 'fig8'),
  },
  {
    name: 'mishra-fig9',
    title: 'Turnaround and node-hours of Intrepid by the share of jobs that communicate',
    source: 'Mishra et al., section 6.5, Figure 9',
    produce: onDemand(() => import('./mishra/continuous-runs.ts'), 'fig9'),
  },
]

/** Reproductions of the Pollard paper, by Pollard, Jain, Herbein and Bhatele. */
const pollard: ReadonlyArray<Listed> = [
  {
    name: 'pollard-table1',
    title: 'Mean waits, with and without isolation, and with speed-ups',
    source: 'Pollard et al., section V-E, Table I',
    produce: onDemand(() => import('./pollard/cost-of-isolation.ts'), 'table1'),
  },
  {
    name: 'pollard-fig5',
    title: 'Nodes requested in every hour',
    source: 'Pollard et al., section IV-B, Figures 5 and 11',
    ...describesLogs,
    produce: onDemand(() => import('./pollard/requests.ts'), 'fig5'),
  },
  {
    name: 'pollard-fig6',
    title: 'Jobs by the nodes that they request',
    source: 'Pollard et al., sections IV-B and V-D, Figures 6 and 12',
    ...describesLogs,
    produce: onDemand(() => import('./pollard/requests.ts'), 'fig6'),
  },
  {
    name: 'pollard-fig7',
    title: 'Average pairwise hops, with and without isolation',
    source: 'Pollard et al., section V-A, Figure 7',
    readsRecords: true,
    produce: onDemand(() => import('./pollard/hops.ts'), 'fig7'),
  },
  {
    name: 'pollard-fig8',
    title: 'Utilization by the minute',
    source: 'Pollard et al., section V-C, Figure 8',
    produce: onDemand(() => import('./pollard/cost-of-isolation.ts'), 'fig8'),
  },
  {
    name: 'pollard-fig9',
    title: 'Makespans, and whether jobs 10 % faster pay for the isolation',
    source: 'Pollard et al., sections V-D and VII, Figure 9',
    produce: onDemand(() => import('./pollard/cost-of-isolation.ts'), 'fig9'),
  },
  {
    name: 'pollard-fig10',
    title: 'Waits by job size',
    source: 'Pollard et al., section V-E, Figure 10',
    produce: onDemand(() => import('./pollard/cost-of-isolation.ts'), 'fig10'),
  },
]

/** Reproductions of the results on the Combal slides by Mangat and Malakar: times, communication costs and bytes. */
const combal: ReadonlyArray<Listed> = [
  {
    name: 'combal-table',
    title: 'Hours of execution and of waiting under TopoMatch, uCombal and Combal',
    source: 'Mangat and Malakar, slides of results; programs and matrices are ours',
    produce: onDemand(() => import('./combal/tables.ts'), 'table'),
  },
  {
    name: 'combal-hpcg',
    title: 'Communication cost of one HPCG job on four switches, by the order of its ranks',
    source: 'Mangat and Malakar, slide of a single job',
    readsRecords: true,
    produce: onDemand(() => import('./combal/one-job.ts'), 'hpcg'),
  },
  {
    name: 'combal-switches',
    title: 'Bytes between and inside switches under TopoMatch, uCombal and Combal',
    source: 'Mangat and Malakar, slides of communications for Theta; programs and matrices are ours',
    readsRecords: true,
    produce: onDemand(() => import('./combal/tables.ts'), 'switches'),
  },
]

/** Experiments of our own. */
const ownExperiments: ReadonlyArray<Listed> = [
  // Contention lengthens run times here; the Jigsaw and Pollard papers assume speed-ups instead.
  {
    name: 'isolation-pays',
    title: 'Jigsaw relative to Baseline by share of communication, with contention instead of assumed speed-ups',
    source: 'ours, beside Smith and Lowenthal, Figures 6 to 8, and Pollard et al., Table I',
    produce: onDemand(() => import('./ours/isolation-pays.ts'), 'isolationPays'),
  },
  {
    name: 'isolation-pays-by-log',
    title: 'Share of communication from which on isolation pays, by job log and scheme',
    source:
      'ours, instead of the assumed speed-ups of Smith and Lowenthal, Figures 6 to 8, and Pollard et al., Table I',
    produce: onDemand(() => import('./ours/isolation-pays.ts'), 'byLog'),
  },
  {
    name: 'routers',
    title: 'Turnaround under policies with and without isolation, by router and share of communication',
    source: 'ours, on a question of the related work of Smith and Lowenthal',
    produce: onDemand(() => import('./ours/routers.ts'), 'routers'),
  },
  {
    name: 'near-misses',
    title: "Values just outside of a paper's values, under other readings of the paper",
    source: 'ours, beside Smith and Lowenthal, section 6, and Pascual and Miguel-Alonso, Figure 2',
    produce: onDemand(() => import('./ours/near-misses.ts'), 'nearMisses'),
  },
  {
    name: 'mosaic',
    title:
      'Average system utilization under Mosaic and under the policies of the Jigsaw paper, five workloads of each trace',
    source: 'ours, in the form of Figure 6 of the Jigsaw paper',
    produce: onDemand(() => import('./ours/mosaic.ts'), 'utilization'),
  },
  {
    name: 'mosaic-queue',
    title: 'Utilization under Baseline, Jigsaw and Mosaic with each option of EASY',
    source: 'ours',
    produce: onDemand(() => import('./ours/mosaic.ts'), 'queueOptions'),
  },
  {
    name: 'mosaic-arrivals',
    title: "Turnaround relative to Baseline with real arrivals, by exact estimates and by users' estimates",
    source: 'ours, in the form of Figure 7 of the Jigsaw paper',
    produce: onDemand(() => import('./ours/mosaic.ts'), 'arrivals'),
  },
  {
    name: 'mosaic-ablation',
    title: 'Utilization under Mosaic without some of its parts',
    source: 'ours',
    produce: onDemand(() => import('./ours/mosaic.ts'), 'ablation'),
  },
  {
    name: 'mosaic-other-logs',
    title: 'Utilization on job logs that guided no choice in the design of Mosaic',
    source: 'ours',
    produce: onDemand(() => import('./ours/mosaic.ts'), 'otherLogs'),
  },
  {
    name: 'calibration',
    title: 'Waits under several queue disciplines and orders, beside the recorded waits of three job logs',
    source: 'ours',
    produce: onDemand(() => import('./ours/calibration.ts'), 'calibration'),
  },
  {
    name: 'migration',
    title: 'Utilization and waits under Jigsaw if running jobs may move for a start, by the cost of a move',
    source: 'ours',
    produce: onDemand(() => import('./ours/migration.ts'), 'migration'),
  },
  {
    name: 'migration-two',
    title: 'Utilization and waits under Jigsaw if two running jobs may move for a start, by the cost of a move',
    source: 'ours',
    produce: onDemand(() => import('./ours/migration.ts'), 'migrationByTwo'),
  },
  {
    name: 'migration-mosaic',
    title: 'Utilization and waits under Mosaic if running jobs may move for a start, by the cost of a move',
    source: 'ours',
    produce: onDemand(() => import('./ours/migration.ts'), 'migrationUnderMosaic'),
  },
  {
    name: 'necessity',
    title: 'Allocations with full bandwidth beyond the conditions of the Jigsaw paper, by brute force',
    source: 'ours, beside Smith and Lowenthal, sections 3.2.2 and 3.3',
    ...none('it routes flows of single allocations'),
    produce: onDemand(() => import('./necessity/report.ts'), 'necessity'),
  },
  {
    name: 'necessity-gain',
    title: 'Utilization that least-constrained gains under the exact condition for full bandwidth',
    source: 'ours, beside Smith and Lowenthal, section 5.2.3',
    produce: onDemand(() => import('./necessity/gain.ts'), 'gain'),
  },
  {
    name: 'sharing',
    title: "Utilization with shared links: Jigsaw, LaaS and Mosaic beside the Jigsaw paper's bound LC+S",
    source: 'ours, beside Smith and Lowenthal, section 5.2.3 and Figure 6',
    produce: onDemand(() => import('./ours/sharing.ts'), 'sharing'),
  },
  {
    name: 'tapers',
    title: 'Utilization that isolation costs, by the taper of the tree and by absent parts',
    source: 'ours',
    produce: onDemand(() => import('./ours/tapers.ts'), 'tapers'),
  },
  {
    name: 'real-matrices',
    title: 'Hours of execution and of waiting under TopoMatch, uCombal and Combal with measured matrices',
    source: 'ours, beside the results of Mangat and Malakar',
    produce: onDemand(() => import('./combal/real-matrices.ts'), 'realMatrices'),
  },
  {
    name: 'contiguous-contention',
    title: 'Waits and run times under contiguous and relaxed allocation with contention instead of assumed speed-ups',
    source: 'ours, beside Pascual and Miguel-Alonso, sections IV and V',
    produce: onDemand(() => import('./ours/contiguous-contention.ts'), 'contiguousContention'),
  },
  {
    name: 'packing-rules',
    title: 'Which packing rule fragments least: blocks of Slurm and Kueue beside other policies',
    source: 'ours',
    readsRecords: true,
    produce: onDemand(() => import('./ours/packing-rules.ts'), 'packingRules'),
  },
  {
    name: 'coverage',
    title: 'Every claim of the papers: the values of the paper, our values, and how many agree',
    source: 'all papers, beside the stored outputs of our experiments',
    ...none('it compares stored outputs and simulates nothing'),
    produce: onDemand(() => import('./coverage/report.ts'), 'coverage'),
  },
  {
    name: 'numbers',
    title: 'The 20 most important numbers of the papers beside our numbers',
    source: 'all papers, beside the stored outputs of our experiments',
    ...none('it compares stored outputs and simulates nothing'),
    produce: onDemand(() => import('./coverage/report.ts'), 'numbers'),
  },
]

/** All reproductions, paper by paper. */
export const reproductions: ReadonlyArray<Reproduction> = [
  ...jigsaw,
  ...pascual,
  ...mishra,
  ...pollard,
  ...combal,
  ...ownExperiments,
]
