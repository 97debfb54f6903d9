import type { TimelineFigure } from '@cloister/metrics'
import type { Topology } from '@cloister/topology'

/** A use of the machine's nodes. All uses together are the whole machine. */
export interface LostCause {
  readonly name: string
  readonly about: string
  /** Custom property of the style sheet with the colour. */
  readonly color: string
  /** Colour in pictures on white paper. */
  readonly ink: string
  /** Returns the number of nodes, from the figures of a timeline. */
  readonly of: (figures: Readonly<Record<TimelineFigure, number>>, topology: Pick<Topology, 'nodes'>) => number
}

/** Uses of nodes from the best to the worst. Pictures draw them in this order from below. */
export const lostCauses: ReadonlyArray<LostCause> = [
  { name: 'busy', about: 'asked for by running jobs', color: '--job', ink: '#96a6b8', of: ({ busy }) => busy },
  {
    name: 'beyond request',
    about: 'given to jobs beyond what they asked for',
    color: '--beyond',
    ink: '#be96cd',
    of: ({ internal }) => internal,
  },
  {
    name: 'down',
    about: 'down, and held by no job',
    color: '--down',
    ink: '#5a1414',
    of: ({ busy, internal, idle }, { nodes }) => nodes - busy - internal - idle,
  },
  { name: 'no job waits', about: 'idle while no job waits', color: '--free', ink: '#e4e5e2', of: ({ noJob }) => noJob },
  {
    name: 'too few nodes',
    about: 'idle while each waiting job asks for more nodes than are idle',
    color: '--few',
    ink: '#f4c46e',
    of: ({ tooFewNodes }) => tooFewNodes,
  },
  {
    name: 'unplaced',
    about: 'idle though some waiting job asks for no more: shape, links, a reservation, or the order of the queue',
    color: '--waste',
    ink: '#d6421e',
    of: ({ unplaced }) => unplaced,
  },
]
