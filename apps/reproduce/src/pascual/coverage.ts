import { type Item, missing, reproduced, tested } from '../coverage/item.ts'

export const items: ReadonlyArray<Item> = [
  tested('Figure 1, the search for contiguous nodes', 'packages/policies/contiguous'),
  reproduced(
    'Figure 2, waits without speed-up',
    'pascual-fig2',
    'in part',
    'first come, first served on two logs of three; first jobs of each stored',
  ),
  reproduced(
    'Figure 3, total times of HPC2N',
    'pascual-fig3',
    'in part',
    'the threshold first come, first served; not with backfilling',
  ),
  reproduced('Figure 4, waits of HPC2N', 'pascual-fig4', 'in part'),
  reproduced(
    'Figure 5, total times of SDSC and LLNL',
    'pascual-fig5',
    'in part',
    'thresholds are far below with backfilling',
  ),
  reproduced('III, backfilling, which is not described', 'pascual-backfilling', 'in part', 'three readings'),
  reproduced(
    'The minutes of its times',
    'pascual-rounding',
    'in part',
    'the spread of Figure 2 first come, first served',
  ),
  missing('The logs as they were recorded', 'HPC2N and LLNL are at hand cleaned only'),
  missing('Values of the figures', 'curves without numbers: only what the text says is compared'),
]
