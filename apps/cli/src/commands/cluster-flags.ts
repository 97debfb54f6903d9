import { topologySpecs } from '@cloister/topology'
import { Flag } from 'effect/cli'

/** For commands that go on as long as a real machine does. */
export const clusterFlags = {
  topology: Flag.String('topology').pipe(
    Flag.withMetavar('TOPOLOGY'),
    Flag.withDescription(
      `The machine, with the names of its nodes: ${topologySpecs.map(({ spec }) => spec).join(' ')}`,
    ),
  ),
  looks: Flag.Int('looks').pipe(
    Flag.withMetavar('N'),
    Flag.withDescription('Stop after so many looks; default: go on until it is stopped'),
    Flag.optional,
  ),
}

/** The log of a real machine, which is never over. */
export const continuedLogFlag = Flag.String('out').pipe(
  Flag.withMetavar('FILE'),
  Flag.withDescription('The event log to write; one that is there is continued'),
)
