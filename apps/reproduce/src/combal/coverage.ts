import { type Item, missing, reproduced, tested } from '../coverage/item.ts'

export const items: ReadonlyArray<Item> = [
  tested('The example of three switches: Combal, uCombal', 'packages/policies/combal'),
  tested('The cost model and its contention factor', 'packages/communication'),
  tested('The partitioner', 'packages/communication', "our own partitioner; tests compare its cuts with gpmetis's"),
  reproduced('Execution of Intrepid', 'combal-table', 'in part', 'programs and matrices are ours'),
  reproduced('Wait of Mira', 'combal-table', 'in part', 'programs and matrices are ours'),
  reproduced('Execution of Theta', 'combal-table', 'in part', 'programs and matrices are ours'),
  reproduced('Wait of Theta', 'combal-table', 'in part', 'programs and matrices are ours'),
  reproduced(
    'Bytes between and inside switches, Theta',
    'combal-switches',
    'holds',
    'only the order of the algorithms: the slides have bars without numbers',
  ),
  reproduced(
    'HPCG of 64 ranks',
    'combal-hpcg',
    'does not hold',
    'the order on the slides saves nothing; the best order found saves less than on the slides',
  ),
  missing(
    'Sizes and programs of the logs, hop-bytes by class',
    'matrices, the selection of jobs, and the runs under Slurm are not public',
  ),
]
