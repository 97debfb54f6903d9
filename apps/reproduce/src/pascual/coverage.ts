import { type Item, missing, reproduced, tested } from '../coverage/item.ts'

export const items: ReadonlyArray<Item> = [
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
