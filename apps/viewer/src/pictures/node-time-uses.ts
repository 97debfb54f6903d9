import type { TimelineFigure } from '@cloister/metrics'
import type { Topology } from '@cloister/topology'

/** A use of the machine's nodes, such as `busy` or `down`. The nodes of all uses add up to the whole machine. */
export interface NodeTimeUse {
  readonly name: string
  readonly about: string
  /** Custom property of the page's style sheet that has the colour of the use. */
  readonly color: string
  /** Colour of the use in pictures on white paper. */
  readonly ink: string
  /** Returns the number of nodes of the use, from the figures of a timeline at a moment. */
  readonly of: (figures: Readonly<Record<TimelineFigure, number>>, topology: Pick<Topology, 'nodes'>) => number
}

/** All uses of the machine's nodes, from the best to the worst. Pictures stack the uses in this order from below. */
export const nodeTimeUses: ReadonlyArray<NodeTimeUse> = [
  { name: 'busy', about: 'requested by running jobs', color: '--job', ink: '#96a6b8', of: ({ busy }) => busy },
  {
    name: 'beyond request',
    about: 'allocated to jobs beyond the requests',
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
    about: 'idle while each waiting job requests more nodes than are idle',
    color: '--few',
    ink: '#f4c46e',
    of: ({ tooFewNodes }) => tooFewNodes,
  },
  {
    name: 'fragmented',
    about:
      'idle while a waiting job requests no more nodes; causes: shape, links, a reservation, or the order of the queue',
    color: '--fragmented',
    ink: '#d6421e',
    of: ({ fragmented }) => fragmented,
  },
]
