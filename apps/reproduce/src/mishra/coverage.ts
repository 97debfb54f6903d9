import { type Item, reproduced, tested } from '../coverage/item.ts'

export const items: ReadonlyArray<Item> = [
  reproduced(
    'Figure 1, two jobs that disturb each other, and the correlation of 5.3',
    'mishra-fig1',
    'in part',
    'computed by a model; the paper has a measurement',
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
    'greedy loses little on Mira; waits on Mira fall by half of the share in the paper',
  ),
  reproduced('5, points that the paper leaves open', 'mishra-readings', 'in part', 'one reading changed at a time'),
  reproduced(
    'Figure 6, mixtures of patterns',
    'mishra-fig6',
    'in part',
    'only the order of the sets; the values contradict Table 3',
  ),
  reproduced('Table 4, single jobs', 'mishra-table4', 'in part', 'on Theta with RD; other jobs save less'),
  reproduced('Figure 7, single jobs of Theta', 'mishra-fig7', 'in part', 'the most that a job saves is less'),
  reproduced(
    'Figure 8, costs',
    'mishra-fig8',
    'in part',
    'nearly for binomial; Theta saves twice as much with other patterns',
  ),
  reproduced('Figure 9, share of jobs that communicate', 'mishra-fig9', 'in part', 'greedy saves nothing'),
]
