import { topologySpecs } from '@cloister/topology'
import { Argument, Command } from 'effect/cli'
import { jsonFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'

const show = Command.make(
  'show',
  {
    spec: Argument.String('topology').pipe(
      Argument.withDescription(`One of: ${topologySpecs.map(({ spec }) => spec).join(' ')}`),
    ),
    json: jsonFlag,
  },
  onDemand(async () => (await import('../topology/topology.ts')).showTopology),
).pipe(
  Command.withDescription('Show the shape of a machine'),
  Command.withExamples([
    { command: 'cloister topology show radix:18', description: 'The 1458-node fat tree of radix-18 switches' },
  ]),
)

export const topology = Command.make('topology').pipe(
  Command.withDescription('Look at machines'),
  Command.withSubcommands([show]),
)
