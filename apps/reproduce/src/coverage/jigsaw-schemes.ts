// Claims of Smith and Lowenthal, Jigsaw, HPDC 2021: sections 1 to 5, schemes and set-up.
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
  shown,
  stated,
  type Values,
} from './claim.ts'
import type { Place } from './place.ts'

const [fig6, fig7, table1] = ['fig6', 'fig7', 'table1'].map((name) => `reproduce jigsaw-${name}`)
const smallTrees = [
  'radix 4: 4 pods of 2 leaves of 2 nodes',
  '2 pods of 3 leaves of 3 nodes',
  '3 pods of 3 leaves of 3 nodes',
  '2 pods of 4 leaves of 4 nodes',
]
export const synthetic = ['Synth-16', 'Synth-22', 'Synth-28']
export const traces = [...synthetic, 'Thunder', 'Atlas']
export const cab = "Cab's logs of 2014 are not public"

/** Returns statements on least-constrained placement without shared links, by the bound on the steps of a search. */
function behindJigsaw(trace: string): Values {
  const bounds = ['500', '1,500', '5,000', '15,000'].map((steps) => `LC, ${steps} steps, ${trace}`)
  return stated('reproduce jigsaw-bounds', 'least-constrained without sharing is behind Jigsaw: {}', ...bounds)
}

/** Returns statements on a scheme with shared links beside the bound LC+S. */
function aboveBound(scheme: string): Values {
  const statement = `no scheme with shared links is above LC+S: ${scheme}, {}`
  return stated('reproduce sharing', statement, 'Synth-16', 'Thunder', 'Atlas')
}

/** Returns the mean difference of the utilizations under Baseline and under a scheme. */
function behindBaseline(scheme: string): Values {
  const meanOf = (name: string): Place => ({ meanOf: traces.map((trace) => cell(fig6, 'Utilization', trace, name)) })
  return derived(`${scheme} behind Baseline, mean of the traces`, '10.0 points', {
    less: [meanOf('Baseline'), meanOf(scheme)],
  })
}

export const jigsawSchemes: ReadonlyArray<Claim> = [
  claim(
    '1',
    'earlier isolating schedulers use at most 90 % of a machine',
    [
      ...cells(fig6, 'Utilization', 'LaaS', each(traces, 'at most 90.0 %')),
      ...cells(fig6, 'Utilization', 'TA 2017', each(traces, 'at most 90.0 %')),
    ],
    explained(
      'reproduce jigsaw-fig6',
      'section 6.1 of the same paper states 90 to 91 % for LaaS, and 93 % on one trace',
    ),
  ),
  claim(
    '1',
    'Jigsaw is 4 to 7 points ahead of earlier isolating schedulers',
    compared(fig6, 'Jigsaw ahead of the better of LaaS and TA, {}', { 'mean of the traces': '4.0 to 7.0 points' }),
  ),
  notCompared('1', "mean turnaround falls by up to nearly 50 % of Baseline's", cab, fig7),
  notCompared(
    '2.2',
    'jobs slow down by up to 150 % on tori and dragonflies, by up to 120 and 66 % on fat trees',
    'quoted from other papers',
  ),
  claim(
    '2.3.2',
    'earlier isolating schedulers use 10 % less of a machine than Baseline',
    [...behindBaseline('LaaS'), ...behindBaseline('TA 2017')],
    explained('reproduce jigsaw-fig6', 'a round number quoted from other papers'),
  ),
  shown('3.1, Figure 1', 'three partitions violate full bandwidth', 'packages/policies/jigsaw'),
  shown('3.1, Figure 2', 'LaaS and TA fragment nodes and links', 'packages/policies/laas'),
  shown('3.2.3', 'a job gets exactly the nodes that it requests', 'packages/policies/jigsaw'),
  shown('3.2, Figure 3', 'an allocation meets the conditions', 'packages/policies/jigsaw'),
  shown(
    '3.3, Figure 4',
    'a partition that meets the conditions routes every permutation with one flow a link',
    'packages/network',
    'on small sizes; the proof is not repeated',
  ),
  claim(
    '3.3',
    'an allocation that meets the conditions has full bandwidth',
    stated('reproduce necessity', 'every allocation that meets the conditions has full bandwidth: {}', ...smallTrees),
  ),
  claim(
    '3.3',
    'an allocation with full bandwidth meets the conditions',
    stated(
      'reproduce necessity',
      'every allocation with full bandwidth meets the conditions: {}',
      '5 nodes of radix 4',
      ...smallTrees,
    ),
    explained('necessity.md', 'a family of allocations in two pods has full bandwidth and breaks the conditions'),
  ),
  shown(
    '4, Algorithm 1',
    'the search finds an allocation',
    'packages/policies/jigsaw',
    'a job on one leaf holds uplinks only by an option',
  ),
  shown('4, Figure 5', 'wraparound routes stay inside a partition', 'packages/network'),
  claim(
    '4, 5.2.3',
    'with every legal allocation, utilization is lower than under Jigsaw',
    stated(fig6, 'LC without sharing is behind Jigsaw: {}', ...traces),
  ),
  claim('4, 5.2.3', 'the same with every bound on the steps of a search', [
    ...behindJigsaw('Synth-16'),
    ...behindJigsaw('Synth-22'),
  ]),
  claim(
    '5.2.3',
    'LC+S is a near-optimal bound of the utilization',
    [...aboveBound('Jigsaw+S'), ...aboveBound('LaaS+S'), ...aboveBound('Mosaic+S')],
    explained('sharing.md', 'a search over more placements takes placements that leave fewer whole leaves'),
  ),
  shown('5.1', 'full fat trees of radix 16 to 28 have 1024 to 5488 nodes', 'packages/topology'),
  claim(
    '5.1, Table 1',
    'numbers of jobs',
    compared(table1, 'jobs, {}', { ...each(synthetic, '10,000'), Thunder: '105,764', Atlas: '29,700' }),
  ),
  claim(
    '5.1, Table 1',
    'sizes of the largest jobs',
    compared(table1, 'nodes of the largest job, {}', {
      'Synth-16': '138',
      'Synth-22': '190',
      'Synth-28': '241',
      Thunder: '965',
      Atlas: '1,024',
    }),
    explained(
      'jigsaw.md',
      'the largest draw of an exponential distribution; the generator released with LaaS draws all three sizes',
    ),
  ),
  claim('5.1, Table 1', 'run times', [
    ...compared(table1, 'shortest run time in s, {}', { ...each(synthetic, '20'), Thunder: '1', Atlas: '1' }),
    ...compared(table1, 'longest run time in s, {}', {
      ...each(synthetic, '3,000'),
      Thunder: '172,362',
      Atlas: '342,754',
    }),
  ]),
  claim(
    '5.1, Table 1',
    'every trace has jobs of one node',
    stated(table1, 'there are jobs of a single node: {}', ...traces),
  ),
  notCompared('5.1, Table 1', 'jobs, sizes and run times of four months of Cab', cab, table1),
  notCompared(
    '5.1',
    'sizes are about exponential with more powers of two, and most jobs are short',
    'no number; not measured',
  ),
  shown('5.2.1', 'LaaS rounds sizes up to whole leaves', 'packages/policies/laas'),
  shown('5.2.2', 'TA keeps jobs in single leaves and pods if they fit', 'packages/policies/ta'),
  notCompared(
    '5.3',
    'a search under LC+S usually ends quickly, and takes hours in the worst case',
    'runs with a limit of time are not repeatable; our searches have a limit of steps',
    'reproduce jigsaw-bounds',
  ),
  claim('5.4.3', 'on 1024 nodes LaaS gains, and Jigsaw stays ahead', [
    ...stated('reproduce jigsaw-1024', 'LaaS is better on 1024 nodes than on 1458: {}', 'Thunder', 'Atlas'),
    ...stated('reproduce jigsaw-1024', 'Jigsaw is ahead of LaaS on 1024 nodes too: {}', 'Thunder', 'Atlas'),
  ]),
]
