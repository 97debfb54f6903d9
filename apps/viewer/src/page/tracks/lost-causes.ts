import type { TimelineFigure } from '@cloister/metrics'
import type { Topology } from '@cloister/topology'

/** A part of the machine by what became of it; all of them together are the machine. */
export interface LostCause {
  readonly name: string
  readonly about: string
  /** Custom property of the style sheet. */
  readonly color: string
  /** Nodes, of the figures of a timeline. */
  readonly of: (figures: Readonly<Record<TimelineFigure, number>>, topology: Pick<Topology, 'nodes'>) => number
}

/** From what is of use to what is lost for the worst reason: drawn in this order from below. */
export const lostCauses: ReadonlyArray<LostCause> = [
  { name: 'busy', about: 'asked for by running jobs', color: '--job', of: ({ busy }) => busy },
  {
    name: 'beyond request',
    about: 'given to jobs beyond what they asked for',
    color: '--beyond',
    of: ({ internal }) => internal,
  },
  {
    name: 'down',
    about: 'down, and held by no job',
    color: '--down',
    of: ({ busy, internal, idle }, { nodes }) => nodes - busy - internal - idle,
  },
  { name: 'no job waits', about: 'idle while no job waits', color: '--free', of: ({ noJob }) => noJob },
  {
    name: 'too few nodes',
    about: 'idle while each waiting job asks for more nodes than are idle',
    color: '--few',
    of: ({ tooFewNodes }) => tooFewNodes,
  },
  {
    name: 'unplaced',
    about: 'idle though some waiting job asks for no more: shape, links, a reservation, or the order of the queue',
    color: '--waste',
    of: ({ unplaced }) => unplaced,
  },
]
