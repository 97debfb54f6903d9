import { topologySpecs } from '@cloister/topology'
import { Flag } from 'effect/cli'

/** For commands that go on as long as a real machine does. */
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

/** The log of a real machine, which is never over. */
export const continuedLogFlag = Flag.String('out').pipe(
  Flag.withMetavar('FILE'),
  Flag.withDescription('Event log to write; an existing log is continued'),
)
