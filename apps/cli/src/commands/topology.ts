import { topologySpecs } from '@cloister/topology'
import { Argument, Command, Flag } from 'effect/cli'
import { forceFlag, jsonFlag, outFlag } from './flags.ts'
import { topologyFormats } from '../topology/topology-formats.ts'
import { onDemand } from './on-demand.ts'

const topologyArgument = Argument.String('topology').pipe(
  Argument.withDescription(`Topology of the machine\nForms: ${topologySpecs.map(({ spec }) => spec).join(' ')}.`),
)

const show = Command.make(
  'show',
  { spec: topologyArgument, json: jsonFlag },
  onDemand(async () => (await import('../topology/topology.ts')).showTopology),
).pipe(
  Command.withDescription('Show the shape of a machine'),
  Command.withExamples([
    {
      command: 'cloister topology show radix:18',
      description: 'Show the shape of the fat tree of radix-18 switches, with 1458 nodes',
    },
  ]),
)

const exported = Command.make(
  'export',
  {
    spec: topologyArgument,
    to: Flag.Literals('to', topologyFormats).pipe(
      Flag.withDescription('Format of the file: the input of another program'),
    ),
    out: outFlag,
    force: forceFlag,
  },
  onDemand(async () => (await import('../topology/export-topology.ts')).exportTopology),
).pipe(
  Command.withDescription('Write a machine for another program'),
  Command.withExamples([
    { command: 'cloister topology export cab --to slurm-conf', description: "Write Cab as Slurm's topology.conf" },
  ]),
)

export const topology = Command.make('topology').pipe(
  Command.withDescription('Show and convert descriptions of machines'),
  Command.withSubcommands([show, exported]),
)
