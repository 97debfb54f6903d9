import { topologySpecs } from '@cloister/topology'
import { Flag } from 'effect/cli'

/** Flags of commands that follow a real machine. */
export const clusterFlags = {
  topology: Flag.String('topology').pipe(
    Flag.withMetavar('TOPOLOGY'),
    Flag.withDescription(
      `The machine, with the names of its nodes\nForms: ${topologySpecs.map(({ spec }) => spec).join(' ')}.`,
    ),
  ),
  looks: Flag.Int('looks').pipe(
    Flag.withMetavar('N'),
    Flag.withDescription('Stop after N queries of Slurm, default: run until stopped'),
    Flag.optional,
  ),
}

/** Flag for the log of a real machine. A later command continues an existing log. */
export const continuedLogFlag = Flag.String('out').pipe(
  Flag.withMetavar('FILE'),
  Flag.withDescription('Event log to write; an existing log is continued'),
)
