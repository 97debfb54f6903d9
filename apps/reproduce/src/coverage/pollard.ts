// Claims of Pollard, Jain, Herbein and Bhatele, SC 2018.
import {
  cell,
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

const [fig7, fig8, fig9, fig10] = ['fig7', 'fig8', 'fig9', 'fig10'].map((figure) => `reproduce pollard-${figure}`)
const table1 = 'reproduce pollard-table1'
const studies = {
  simulation: 'interference --study simulation',
  cab: 'interference --study cab',
  small: 'interference --study cab-small',
  computing: 'interference --study cab-computing',
} as const
const overloaded = ['HPC2N-2x', 'SDSC-BLUE-2x']
const hopLogs = ['HPC2N', 'SDSC-BLUE', 'Theta', 'CEA-Curie']
const logs = ['HPC2N', 'HPC2N-2x', 'SDSC-BLUE', 'SDSC-BLUE-2x', 'Theta', 'CEA-Curie']
const cab = "Cab's logs of 2014 are not public"
/** Reason for the speed-ups of section V-B. The paper names neither placements nor routes. */
const routes = open(
  'four placements and three routings, each given with the output; 30 and 100 % communication (pollard.md)',
)

/** Returns speed-ups by pattern in a study of section V-B. */
function speedups(study: keyof typeof studies, name: string, cases: Readonly<Record<string, string>>): Values {
  return compared(studies[study], `speed-up of {}: ${name}`, cases)
}

/** Returns the gain of the median utilization by a speed-up on an overloaded machine. */
function gains(log: string): Values {
  const median = (way: string) => cell(fig8, log, way, 'median')
  const [first, ...others] = ['TA 5%', 'TA 10%', 'TA 20%', 'TA V1', 'TA V2'].flatMap((way) =>
    derived(`gain of the median utilization: ${log}, ${way}`, '0.0 points', { less: [median(way), median('TA')] }),
  )
  return [first, ...others]
}

/** Returns the waits of jobs of 65 to 256 nodes under TA with a speed-up, less their waits under TO. */
function beyondOblivious(log: string): Values {
  const wait = (way: string) => cell(fig10, `${log}: mean wait in hours`, way, '65-256 nodes')
  const [first, ...others] = ['TA 10%', 'TA 20%'].flatMap((way) =>
    derived(`wait of jobs of 65 to 256 nodes beyond TO: ${log}, ${way}`, 'at most 0.0 h', {
      less: [wait(way), wait('TO')],
    }),
  )
  return [first, ...others]
}

export const pollard: ReadonlyArray<Claim> = [
  notCompared(
    'I, Figure 1',
    "most jobs of Cab have more hops than necessary under Cab's own scheduler",
    "needs node lists, which SWF's 18 fields and the six columns of ALCF's lists do not have",
  ),
  shown('III-A, IV-A', 'fat trees of radix r; Cab has 1296 nodes in four pods', 'packages/topology'),
  shown(
    'III-A',
    'the rules isolate jobs on tapered trees and on trees with full bisection',
    'packages/policies/ta',
    'on random states; tapered trees give isolation without full bandwidth',
  ),
  shown(
    'III, Figures 2 to 4',
    'allocations on a tree of radix 6, with and without interference',
    'packages/policies/ta',
  ),
  shown('III-C, Algorithm 1', 'allocation of jobs of three types', 'packages/policies/ta'),
  notCompared('IV-B', 'jobs of Cab have at most 256 nodes and run at most 24 hours', cab),
  notCompared(
    'IV-B, Figures 5 and 11',
    'more nodes are requested in September than in August and November',
    cab,
    'reproduce pollard-fig5',
  ),
  notCompared(
    'IV-B, V-D, Figures 6 and 12',
    '87 % of the jobs of September have less than 18 nodes, of the other logs less than 80 %',
    cab,
    'reproduce pollard-fig6',
  ),
  claim(
    'V-A, Figure 7',
    'the median of the hops is no higher under TA than under TO',
    stated(fig7, 'the median under TA is no higher than under TO for any size: {}', ...hopLogs),
  ),
  claim(
    'V-A, Figure 7',
    'the median under TO is above the least possible for jobs that fit a pod',
    stated(
      fig7,
      'under TO the median is above the least possible for sizes above 4 nodes that fit a pod: {}',
      ...hopLogs,
    ),
  ),
  claim(
    'V-A, Figure 7',
    'the most hops under TA are close to the least possible for jobs of nearly a pod',
    stated(fig7, 'most hops under TA are close to the least possible in the bin that ends with a pod: {}', ...hopLogs),
  ),
  notCompared(
    'V-A, Figure 7',
    'jobs of less than 128 nodes have less than two hops under TA on Cab; more hops on Pinot under TO',
    cab,
    fig7,
  ),
  claim(
    'V-B',
    'mean speed-ups by isolation in the simulated tree: 1.06 to 1.68, of all jobs 1.36',
    speedups('simulation', 'simulation', {
      stencil: '1.58',
      mesh: '1.68',
      pairs: '1.06',
      'all-to-all': '1.14',
      'all jobs': '1.36',
    }),
    routes,
  ),
  claim(
    'V-B',
    'mean speed-ups by isolation on Cab: 1.10 to 1.55, of all jobs 1.30',
    speedups('cab', 'Cab, all sizes', {
      stencil: '1.26',
      mesh: '1.14',
      pairs: '1.10',
      'all-to-all': '1.55',
      'all jobs': '1.30',
    }),
    routes,
  ),
  claim(
    'V-B',
    'largest speed-ups on Cab: 1.5 and 1.4',
    compared(studies.cab, 'largest speed-up of {}: Cab, all sizes', { stencil: '1.50', mesh: '1.40' }),
    routes,
  ),
  claim(
    'V-B',
    'mean speed-ups of small jobs on Cab: 1.08 to 1.74, of all jobs 1.35',
    speedups('small', 'Cab, small jobs', {
      stencil: '1.32',
      mesh: '1.29',
      pairs: '1.08',
      'all-to-all': '1.74',
      'all jobs': '1.35',
    }),
    routes,
  ),
  claim(
    'V-B',
    'speed-ups with 30 % communication: 1.08 on average, at most 1.31',
    [
      ...speedups('computing', 'Cab, small jobs, 30 % communication', { 'all jobs': '1.08' }),
      ...compared(studies.computing, 'largest speed-up of all jobs: {}', {
        'Cab, small jobs, 30 % communication': '1.31',
      }),
    ],
    routes,
  ),
  claim('V-B', 'no job in an isolated partition is slowed by another job', [
    ...stated(studies.simulation, 'no job under TA is slowed by another job: {}', 'simulation'),
    ...stated(studies.cab, 'no job under TA is slowed by another job: {}', 'Cab, all sizes'),
    ...stated(studies.small, 'no job under TA is slowed by another job: {}', 'Cab, small jobs'),
    ...stated(studies.computing, 'no job under TA is slowed by another job: {}', 'Cab, small jobs, 30 % communication'),
  ]),
  notCompared(
    'V-B',
    'workloads on Cab have about 20 jobs, workloads of small jobs about 36',
    'inputs of the studies, not results',
  ),
  claim(
    'V-C, Figure 8',
    'on overloaded machines isolation lowers utilization by about 10 points',
    compared(fig8, 'drop of the median utilization by isolation: {}', each(overloaded, '7.0 to 13.0 points')),
  ),
  claim(
    'V-C, Figure 8',
    'on overloaded machines speed-ups do not change utilization',
    [...gains('HPC2N-2x'), ...gains('SDSC-BLUE-2x')],
    explained('pollard.md', 'on HPC2N-2x the medians differ by two nodes'),
  ),
  notCompared('V-C, Figure 8', 'on other machines utilization is similar with and without isolation', cab, fig8),
  claim(
    'V-D, Figure 9',
    'on overloaded machines isolation lengthens makespans by up to 9 %',
    compared(fig9, 'makespan under TA, overloaded: {}', each(overloaded, '1.000 to 1.090')),
    open(
      'runs with speed-ups, which shorten makespans; only the TA of 2018, on other logs than the paper (pollard.md)',
    ),
  ),
  claim(
    'V-D, Figure 9',
    'on other machines isolation does not lengthen makespans',
    compared(fig9, 'makespan under TA, overloaded: {}', each(hopLogs, '1.000')),
  ),
  notCompared('V-D, Figure 9', 'in September makespans are 9 and 4 % longer under V1 and V2', cab, fig9),
  notCompared('V-E, Figure 10', 'further waits on Cab: 45 minutes in August, 38 hours in Aug-3x', cab, fig10),
  claim(
    'V-E, Figure 10',
    'under TA larger jobs wait longer',
    stated(fig10, 'under TA larger jobs wait longer: {}', ...logs),
    explained('pollard.md', 'on overloaded machines every job waits for months, whatever its size'),
  ),
  claim(
    'V-E, Figure 10',
    'with speed-ups of 10 and 20 % jobs of 65 to 256 nodes wait no longer than under TO',
    [
      ...beyondOblivious('HPC2N'),
      ...beyondOblivious('SDSC-BLUE'),
      ...beyondOblivious('Theta'),
      ...beyondOblivious('CEA-Curie'),
    ],
    open('both readings of V2 (pollard.md)'),
  ),
  notCompared('V-E, Table I', "mean waits on eight workloads of Cab's logs", cab, table1),
  claim(
    'V-E, Table I',
    'waits are longer with isolation',
    stated(table1, 'waits are longer with isolation: {}', ...logs),
    explained('pollard.md', 'on CEA-Curie isolation holds back large jobs, and small jobs wait less'),
  ),
  claim('V-E, Table I', 'speed-ups of V2 shorten waits', stated(table1, 'V2 shortens waits under TA: {}', ...logs)),
  claim(
    'V-E, Table I',
    'with V2 waits are similar to waits without isolation, or shorter',
    stated(table1, 'with V2 waits under TA are similar to waits under TO, or shorter: {}', ...logs),
    open('a second reading of the bins of V2: largest at the largest size of a class (pollard.md)'),
  ),
  claim(
    'VII',
    'isolation pays if jobs are more than 10 % faster',
    stated(fig9, 'jobs 10 % faster pay for the isolation: {}', ...logs),
    open('a speed-up of 20 %, which pays on every log (pollard.md)'),
  ),
]
