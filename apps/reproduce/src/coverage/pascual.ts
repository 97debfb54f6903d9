// Claims of Pascual and Miguel-Alonso, EHU-KAT-IK-09-08.
import { type Claim, claim, compared, each, explained, notCompared, open, shown, stated } from './claim.ts'

const [fig2, fig3, fig4, fig5] = ['fig2', 'fig3', 'fig4', 'fig5'].map((figure) => `reproduce pascual-${figure}`)
const readings = 'reproduce pascual-backfilling'

export const pascual: ReadonlyArray<Claim> = [
  shown('III, Figure 1', 'the search for contiguous nodes', 'packages/policies/contiguous'),
  notCompared(
    'III',
    'the logs have 527,371, 128,662 and 243,314 jobs',
    'only the cleaned logs of HPC2N and LLNL are at hand; the cleaned logs have fewer jobs',
  ),
  claim(
    'IV, Figure 2',
    'without backfilling contiguous allocation makes waits 7 to 100 times as long',
    compared(fig2, 'wait, contiguous without speed-up: {}, FCFS', each(['HPC2N', 'SDSC', 'LLNL'], '7.0 to 100.0')),
    explained(
      'near-misses.md',
      'on LLNL few jobs wait under first fit; with allocated processors as sizes the ratio is in the range',
    ),
  ),
  claim(
    'IV, Figure 2',
    'with backfilling contiguous allocation makes waits 7 to 100 times as long',
    compared(fig2, 'wait, contiguous without speed-up: {}, EASY', each(['HPC2N', 'SDSC', 'LLNL'], '7.0 to 100.0')),
    open(
      'three weaker readings of backfilling (pascual.md), rounding of times to minutes (reproduce pascual-rounding)',
    ),
  ),
  claim(
    'III, IV',
    'under a reading of backfilling whose reservation counts free nodes anywhere, the same waits',
    compared(
      readings,
      'wait, contiguous without speed-up: HPC2N, {}',
      each(['ends before', 'ends before, in order'], '7.0 to 100.0'),
    ),
    open('the order of the search (pascual.md)'),
  ),
  claim(
    'IV, Figure 3',
    'from a speed-up of 0.25 on, jobs of HPC2N spend less time with contiguous allocation',
    compared(fig3, 'speed-up from which contiguous is ahead: HPC2N, {}', each(['FCFS', 'EASY'], '0.25')),
    open('three weaker readings of backfilling, of which two come near (pascual.md)'),
  ),
  claim(
    'IV, Figure 3',
    'this speed-up is about the same with and without backfilling',
    stated(fig3, 'these speed-ups are about the same with and without backfilling'),
    explained('pascual.md', 'a textbook reservation for contiguous nodes removes the loss; weaker readings keep it'),
  ),
  claim(
    'IV, Figure 3',
    'jobs spend less time with backfilling',
    stated(fig3, 'jobs spend less time with backfilling, whatever the allocation and the speed-up'),
  ),
  claim(
    'IV, Figure 4',
    'with small speed-ups most of the time is waiting',
    stated(fig4, 'without speed-up most of the time is waiting, contiguous: HPC2N, {}', 'FCFS', 'EASY'),
    open('three weaker readings of backfilling (pascual.md)'),
  ),
  claim(
    'IV, Figure 4',
    'waits fall with the speed-up',
    stated(fig4, 'waits fall with every step of the speed-up, contiguous: HPC2N, {}', 'FCFS', 'EASY'),
  ),
  claim(
    'IV, V, Figure 5',
    'with backfilling the speed-up is 0.25 to 0.30 on SDSC and LLNL',
    compared(fig5, 'speed-up from which contiguous is ahead: {}, EASY', each(['SDSC', 'LLNL'], '0.25 to 0.30')),
    open('three weaker readings of backfilling (pascual.md)'),
  ),
  claim(
    'IV, Figure 5',
    'the speed-up is slightly higher on LLNL than on SDSC',
    stated(fig5, 'the speed-up of LLNL is slightly higher than the speed-up of SDSC'),
  ),
  claim(
    'V',
    'under a reading of backfilling whose reservation counts free nodes anywhere, 0.25 to 0.30',
    compared(
      readings,
      'speed-up from which contiguous is ahead: HPC2N, {}',
      each(['ends before', 'ends before, in order'], '0.25 to 0.30'),
    ),
    open('the order of the search (pascual.md)'),
  ),
  notCompared('IV, Figures 2 to 5', 'values of the curves', 'the figures have curves without numbers'),
]
