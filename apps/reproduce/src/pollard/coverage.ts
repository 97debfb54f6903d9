import { type Item, missing, reproduced, tested } from '../coverage/item.ts'

const others = "claims on other logs; Cab's logs of 2014 are not public"

export const items: ReadonlyArray<Item> = [
  missing(
    'Figure 1, hops of real allocations',
    "needs node lists, which SWF's 18 fields and the six columns of ALCF's lists do not have",
  ),
  tested('Figures 2 to 4, allocations on a tree of radix 6', 'packages/policies/ta'),
  tested('Algorithm 1', 'packages/policies/ta'),
  reproduced('Figures 5 and 11, nodes requested', 'pollard-fig5', 'in part', others),
  reproduced('Figures 6 and 12, sizes', 'pollard-fig6', 'in part', others),
  reproduced('Figure 7, hops', 'pollard-fig7', 'in part', others),
  {
    item: 'V-B, slowdown by other jobs, Cab',
    command: 'interference --study cab',
    verdict: 'in part',
    remark: 'placements, sizes and routes are not stated',
  },
  {
    item: 'V-B, small jobs',
    command: 'interference --study cab-small',
    verdict: 'in part',
    remark: 'placements, sizes and routes are not stated',
  },
  {
    item: 'V-B, 30 % communication',
    command: 'interference --study cab-computing',
    verdict: 'in part',
    remark: 'placements, sizes and routes are not stated',
  },
  {
    item: 'V-B, the simulated tree',
    command: 'interference --study simulation',
    verdict: 'in part',
    remark: 'placements, sizes and routes are not stated; three routings',
  },
  reproduced('Figure 8, utilization by the minute', 'pollard-fig8', 'in part', others),
  reproduced('Figure 9, makespans', 'pollard-fig9', 'in part', others),
  reproduced('Figure 10, waits by size', 'pollard-fig10', 'in part', others),
  reproduced('Table I, mean waits', 'pollard-table1', 'in part', others),
  reproduced('VII, a speed-up of 10 % pays for isolation', 'pollard-fig9', 'in part', others),
  reproduced('V-E, further waits', 'pollard-fig10', 'in part', "compared only if Cab's logs of 2014 are at hand"),
]
