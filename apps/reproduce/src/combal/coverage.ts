import { type Item, missing, reproduced, tested } from '../coverage/item.ts'

export const items: ReadonlyArray<Item> = [
  tested('The example of three switches: Combal, uCombal', 'packages/policies/combal'),
  tested('The cost model and its contention factor', 'packages/communication'),
  tested('The partitioner', 'packages/graph-partition', "ours, its cut held to gpmetis's"),
  reproduced('Execution of Intrepid', 'combal-table', 'in part', 'programs and matrices are ours'),
  reproduced('Wait of Mira', 'combal-table', 'in part', 'programs and matrices are ours'),
  reproduced('Execution of Theta', 'combal-table', 'in part', 'programs and matrices are ours'),
  reproduced('Wait of Theta', 'combal-table', 'in part', 'programs and matrices are ours'),
  reproduced(
    'Bytes between and inside switches, Theta',
    'combal-switches',
    'holds',
    'the order alone: the slides have bars',
  ),
  reproduced(
    'HPCG of 64 ranks',
    'combal-hpcg',
    'does not hold',
    'the order shown saves nothing; a better one saves less',
  ),
  missing(
    'Sizes and programs of the logs, hop-bytes by class',
    'matrices, the selection of jobs, and the runs under Slurm cannot be had',
  ),
]
