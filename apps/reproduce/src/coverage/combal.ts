// Claims on the slides of Mangat and Malakar, JSSPP 2025. The slides have no sections: the first column names a slide.
import {
  cells,
  type Claim,
  claim,
  compared,
  explained,
  notCompared,
  open,
  shown,
  stated,
  type Values,
} from './claim.ts'

const [table, switches, hpcg] = ['table', 'switches', 'hpcg'].map((name) => `reproduce combal-${name}`)
const reading = 'cost effective, old cost of the default run'
const inputs = 'matrices, the choice of the jobs, and the runs under Slurm are not public'
/** Everything that was tried for the hours on the slides. */
const tried = open('costs without contention, old costs of the same state, ten draws of programs (combal.md)')

/** Returns shares of the hours that the algorithms save on a log. */
function saved(log: string, what: 'execution' | 'wait', cases: Readonly<Record<string, string>>): Values {
  return compared(table, `${what} saved by {}; ${reading}`, cases, log)
}

export const combal: ReadonlyArray<Claim> = [
  shown('Combal, uCombal', 'the example of three switches', 'packages/policies/combal'),
  shown('Cost model', 'hop-bytes and the contention factor', 'packages/communication'),
  shown(
    'METIS',
    'the partitioner',
    'packages/communication',
    "our own partitioner; tests compare its cuts with gpmetis's",
  ),
  notCompared('Job logs', '303, 410 and 501 jobs; programs by size; communication above 40 %', inputs),
  claim(
    'Execution of Intrepid',
    'TopoMatch, uCombal and Combal save 0.4, 0.2 and 0.8 % of execution',
    saved('Intrepid', 'execution', { TopoMatch: '0.4 %', uCombal: '0.2 %', Combal: '0.8 %' }),
    tried,
  ),
  claim(
    'Wait of Mira',
    'uCombal and Combal save 2.9 and 1.4 % of the wait, TopoMatch loses 1.2 %',
    saved('Mira', 'wait', { TopoMatch: '-1.2 %', uCombal: '2.9 %', Combal: '1.4 %' }),
    tried,
  ),
  claim(
    'Execution of Theta',
    'TopoMatch saves 1.6 %, uCombal and Combal 5.6 % of execution',
    saved('Theta', 'execution', { TopoMatch: '1.6 %', uCombal: '5.6 %', Combal: '5.6 %' }),
    tried,
  ),
  claim(
    'Wait of Theta, Conclusions',
    'TopoMatch, uCombal and Combal save 13.7, 24.6 and 25.7 % of the wait',
    saved('Theta', 'wait', { TopoMatch: '13.7 %', uCombal: '24.6 %', Combal: '25.7 %' }),
    tried,
  ),
  claim(
    'Results',
    'hours under the default',
    [
      ...cells(table, `Hours of execution; ${reading}; mean and range of 10 draws`, 'Default', {
        Intrepid: '1,644 h',
        Theta: '675 h',
      }),
      ...cells(table, `Hours of wait; ${reading}; mean and range of 10 draws`, 'Default', {
        Mira: '25,807 h',
        Theta: '47,493 h',
      }),
    ],
    explained('combal.md', inputs),
  ),
  claim('Communications of Theta', 'fewer bytes between switches and more bytes inside switches', [
    ...stated(switches, 'fewer bytes are sent between switches than under the default: {}', 'uCombal', 'Combal'),
    ...stated(switches, 'more bytes are sent inside switches than under the default: {}', 'uCombal', 'Combal'),
  ]),
  claim(
    'Single job',
    'Combal saves 24.6 % of the cost of HPCG on 64 ranks',
    compared(hpcg, 'saved by {}', { Combal: '24.6 %' }),
    explained('combal.md', 'the order of ranks on the slide costs as much as blocks; the best order found saves less'),
  ),
  claim(
    'Single job',
    'the order of ranks on the slide costs less than blocks',
    stated(hpcg, 'the order that the slides call Combal costs less than blocks'),
    explained('combal.md', 'every fourth rank on a switch separates all neighbours of the halo exchange'),
  ),
  claim(
    'Single job',
    "the costs of the slide are the job's plain hop-bytes",
    compared(hpcg, "the slides' {}", {
      'default cost, over plain hop-bytes in blocks': '1.000',
      'Combal cost, over plain hop-bytes on one switch': '1.000',
    }),
    open('costs with contention, and on one switch; the two quotients are equal (combal.md)'),
  ),
]
