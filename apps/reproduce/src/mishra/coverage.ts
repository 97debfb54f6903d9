import { type Item, reproduced, tested } from '../coverage/item.ts'

export const items: ReadonlyArray<Item> = [
  reproduced(
    'Figure 1, two jobs that disturb each other, and the correlation of 5.3',
    'mishra-fig1',
    'in part',
    'by a model; the paper measured',
  ),
  tested('Figure 2, a tree of switches', 'packages/topology'),
  tested('Figure 3, steps of recursive doubling', 'packages/communication'),
  tested('Table 1, equations 2 to 7, Figure 5', 'packages/communication'),
  tested('Algorithm 1, greedy', 'packages/policies/greedy'),
  tested('Algorithm 2, Figure 4, Table 2, balanced', 'packages/policies/balanced'),
  reproduced(
    'Table 3, hours in continuous runs',
    'mishra-table3',
    'in part',
    "greedy's loss on Mira does not come out; waits of Mira by half",
  ),
  reproduced('5, what is not said', 'mishra-readings', 'in part', 'one reading changed at a time'),
  reproduced('Figure 6, mixtures of patterns', 'mishra-fig6', 'in part', 'the order; its values contradict Table 3'),
  reproduced('Table 4, single jobs', 'mishra-table4', 'in part', 'Theta and RD; the others save less'),
  reproduced('Figure 7, single jobs of Theta', 'mishra-fig7', 'in part', 'the most that a job saves is less'),
  reproduced('Figure 8, costs', 'mishra-fig8', 'in part', 'binomial nearly; Theta saves twice as much with the others'),
  reproduced('Figure 9, share of jobs that communicate', 'mishra-fig9', 'in part', 'greedy saves nothing'),
]
