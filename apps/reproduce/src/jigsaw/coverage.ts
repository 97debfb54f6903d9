import { type Item, missing, reproduced, tested } from '../coverage/item.ts'

const cab = "Cab's logs of 2014 cannot be had"

export const items: ReadonlyArray<Item> = [
  tested('Figure 1, violations of full bandwidth', 'packages/policies/jigsaw'),
  tested('Figure 2, fragmentation under LaaS and TA', 'packages/policies/laas'),
  tested('Figure 3, a legal allocation', 'packages/policies/jigsaw'),
  tested(
    'Figure 4 and its theorem, any permutation is routed',
    'packages/routing',
    'sizes that can be tried, not the proof',
  ),
  tested('Figure 5, routing inside a partition', 'packages/routing'),
  tested('Algorithm 1', 'packages/policies/jigsaw', 'jobs on a leaf hold uplinks by an option only'),
  reproduced('Table 1, traces', 'jigsaw-table1', 'in part', `Thunder and Atlas in every value; ${cab}`),
  reproduced(
    'Figure 6, utilization',
    'jigsaw-fig6',
    'in part',
    `TA only as in 2017; LaaS on Atlas, by its window (near-misses); ${cab}`,
  ),
  reproduced('5.2.3, least constrained without sharing', 'jigsaw-fig6', 'holds', 'a claim without a value'),
  reproduced('5.4.3, on 1024 nodes', 'jigsaw-1024', 'holds'),
  reproduced(
    'Table 2, instantaneous utilization',
    'jigsaw-table2',
    'in part',
    'first come, first served, which the paper does not say',
  ),
  reproduced('Figure 7, turnaround', 'jigsaw-fig7', 'in part', `claims on other logs; ${cab}`),
  reproduced(
    'Figure 8, makespan',
    'jigsaw-fig8',
    'in part',
    '20 % saves more than the paper has; TA pays with 10 % on Thunder',
  ),
  reproduced('Table 3, scheduling time', 'jigsaw-table3', 'in part', 'the order alone: another machine and language'),
  reproduced('5.4, what is drawn', 'jigsaw-spread', 'in part', 'the spread over seeds; the paper has one draw'),
  missing('Figures 6 and 7 and Table 3 on Cab', cab),
  missing('5.4.3, the timeout of 5 s', 'a bound by time cannot be repeated to the byte: steps are bounded'),
]
