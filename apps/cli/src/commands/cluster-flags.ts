import { topologySpecs } from '@cloister/topology'
import { Flag } from 'effect/cli'

/** Flags of `cloister observe slurm` and `cloister drive`, the commands that follow a real machine. */
export const clusterFlags = {
  topology: Flag.String('topology').pipe(
    Flag.withMetavar('TOPOLOGY'),
    Flag.withDescription(
      `Topology of the machine, with the names of the nodes\nForms: ${topologySpecs.map(({ spec }) => spec).join(' ')}.`,
    ),
  ),
  polls: Flag.Int('polls').pipe(
    Flag.withMetavar('N'),
    Flag.withDescription('Stop after N queries of Slurm\nDefault: the command runs until a signal stops it.'),
    Flag.optional,
  ),
}

/** Flag for the log of a real machine. If the log exists, the command appends to the log. */
export const continuedLogFlag = Flag.String('out').pipe(
  Flag.withMetavar('FILE'),
  Flag.withDescription('Event log to write\nIf FILE is the log of an earlier call, the command appends to FILE.'),
)
