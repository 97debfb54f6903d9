import { interference as studies, models, routings } from '@cloister/reproduce'
import { Command, Flag } from 'effect/cli'
import { jsonFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const interference = Command.make(
  'interference',
  {
    study: Flag.Literals('study', ['simulation', 'cab', 'cab-small', 'cab-computing', 'all']).pipe(
      Flag.withDescription(`Machine and jobs: ${studies.map(({ name }) => name).join('; ')}; in this order`),
      Flag.withDefault('cab'),
    ),
    model: Flag.Literals('model', [...models, 'both']).pipe(
      Flag.withDescription('fluid: jobs go through their phases; snapshot: all send everything at once'),
      Flag.withDefault('fluid'),
    ),
    routing: Flag.Literals('routing', ['d-mod-k', 'random-up-ports', 'spread', 'all']).pipe(
      Flag.withDescription(`How messages are led: ${routings.join(', ')}`),
      Flag.withDefault('d-mod-k'),
    ),
    workloads: Flag.Int('workloads').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('Full machines drawn, each with the next seed; the paper has 15'),
      Flag.withDefault(15),
    ),
    seed: Flag.Int('seed').pipe(Flag.withDescription('Of the first workload'), Flag.withDefault(1)),
    step: Flag.Int('step').pipe(
      Flag.withMetavar('MS'),
      Flag.withDescription('After how many ms rates change in the fluid model'),
      Flag.withDefault(2),
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../reproduce/interference.ts')).showInterference),
).pipe(
  Command.withDescription(
    'Compute what other jobs cost: iterations of proxy applications with and without isolation, on shared links (Pollard et al., section V-B)',
  ),
  Command.withExamples([
    {
      command: 'cloister interference --study cab --workloads 3',
      description: 'Jobs of 4 to 512 nodes on Cab, three full machines of them',
    },
  ]),
)
