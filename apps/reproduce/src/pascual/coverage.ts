import { type Item, missing, reproduced, tested } from '../coverage/item.ts'

export const items: ReadonlyArray<Item> = [
  tested('Figure 1, the search for contiguous nodes', 'packages/policies/contiguous'),
  reproduced(
    'Figure 2, waits without speed-up',
    'pascual-fig2',
    'in part',
    'three ratios of six: HPC2N and SDSC without backfilling, LLNL with it',
  ),
  reproduced(
    'Figure 3, total times of HPC2N',
    'pascual-fig3',
    'in part',
    '0.218 without backfilling, where the paper has 0.25; 0.000 with it',
  ),
  reproduced(
    'Figure 4, waits of HPC2N',
    'pascual-fig4',
    'in part',
    'with backfilling jobs wait less than half of their time',
  ),
  reproduced(
    'Figure 5, total times of SDSC and LLNL',
    'pascual-fig5',
    'in part',
    'thresholds are far below with backfilling',
  ),
  reproduced(
    'III, backfilling, which is not described',
    'pascual-backfilling',
    'in part',
    'three readings, on the whole log of HPC2N alone',
  ),
  reproduced(
    'The minutes of its times',
    'pascual-rounding',
    'in part',
    'the spread of Figure 2 first come, first served',
  ),
  missing('The logs as they were recorded', 'HPC2N and LLNL are at hand cleaned only'),
  missing('Values of the figures', 'curves without numbers: only what the text says is compared'),
]
