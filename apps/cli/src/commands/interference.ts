import { interference as studies, models, routings } from '@cloister/reproduce'
import { Command, Flag } from 'effect/cli'
import { jsonFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const interference = Command.make(
  'interference',
  {
    study: Flag.Literals('study', ['simulation', 'cab', 'cab-small', 'cab-computing', 'all']).pipe(
      Flag.withDescription(
        `Machine and jobs, default: cab\n${studies.map(({ name }) => name).join('; ')}; in this order.`,
      ),
      Flag.withDefault('cab'),
    ),
    model: Flag.Literals('model', [...models, 'both']).pipe(
      Flag.withDescription(
        'Model of traffic, default: fluid\nfluid: jobs pass through their phases. snapshot: all jobs send at once.',
      ),
      Flag.withDefault('fluid'),
    ),
    routing: Flag.Literals('routing', ['d-mod-k', 'random-up-ports', 'spread', 'all']).pipe(
      Flag.withDescription(`Routing of messages, default: d-mod-k\n${routings.join(', ')}.`),
      Flag.withDefault('d-mod-k'),
    ),
    workloads: Flag.Int('workloads').pipe(
      Flag.withMetavar('N'),
      Flag.withDescription('Full machines to draw, default: 15 as in the paper\nEach takes the next seed.'),
      Flag.withDefault(15),
    ),
    seed: Flag.Int('seed').pipe(Flag.withDescription('Seed of the first workload, default: 1'), Flag.withDefault(1)),
    step: Flag.Int('step').pipe(
      Flag.withMetavar('MS'),
      Flag.withDescription('Milliseconds between changes of rates in the fluid model, default: 2'),
      Flag.withDefault(2),
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../reproduce/interference.ts')).showInterference),
).pipe(
  Command.withDescription(
    'Compute the slowdown of jobs on shared links\nIterations of proxy applications with and without isolation (Pollard et al., section V-B).',
  ),
  Command.withExamples([
    {
      command: 'cloister interference --study cab --workloads 3',
      description: 'Draw three full machines of Cab, with jobs of 4 to 512 nodes',
    },
  ]),
)
