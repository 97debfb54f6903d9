import { exportTopology } from '../topology/export-topology.ts'
import { showTopology } from '../topology/topology.ts'
import { topologySpecs } from '@cloister/topology'
import { Argument, Command, Flag } from 'effect/cli'
import { forceFlag, jsonFlag, outFlag, type Options } from './flags.ts'
import { topologyFormats } from '../topology/topology-formats.ts'

const topologyArgument = Argument.String('topology').pipe(
  Argument.withDescription(`Topology of the machine\nForms: ${topologySpecs.map(({ spec }) => spec).join(' ')}.`),
)

const showFlags = { spec: topologyArgument, json: jsonFlag }

const show = Command.make('show', showFlags, (options) => showTopology(options)).pipe(
  Command.withDescription('Show the shape of a machine'),
  Command.withExamples([
    {
      command: 'cloister topology show radix:18',
      description: 'Show the shape of the fat tree of radix-18 switches, with 1458 nodes',
    },
  ]),
)

const exportedFlags = {
  spec: topologyArgument,
  to: Flag.Literals('to', topologyFormats).pipe(
    Flag.withDescription('Format of the file: the input of another program'),
  ),
  out: outFlag,
  force: forceFlag,
}

const exported = Command.make('export', exportedFlags, (options) => exportTopology(options)).pipe(
  Command.withDescription('Write a machine for another program'),
  Command.withExamples([
    { command: 'cloister topology export cab --to slurm-conf', description: "Write Cab as Slurm's topology.conf" },
  ]),
)

export const topology = Command.make('topology').pipe(
  Command.withDescription('Show and convert descriptions of machines'),
  Command.withSubcommands([show, exported]),
)
