import type { Header } from '@cloister/eventlog'
import type { TimelineFigure } from '@cloister/metrics'
import type { RunClient } from '../state/run-client.ts'
import { runs } from '../state/session.ts'

/** Number of dots of the line `largest job that would fit`. The policy is asked about the moment of each dot. */
export const FITS = 40

/** A line of a track: the extremes of a figure, or dots at the moments about which the policy was asked. */
export interface Line {
  readonly label: string
  /** Meaning of the line, shown as a tooltip. */
  readonly about: string
  readonly color: string
  readonly figure: TimelineFigure | 'fits'
  /** Returns the amount of 100 %, for example the number of all nodes; 1 in a track of counts. */
  readonly of: (run: RunClient) => number
}

/** A track of figures over the visible times, with its lines. */
export interface Chart {
  readonly title: string
  /** Returns true if a run has values in the track. Absent if every run has values in the track. */
  readonly isFor?: (header: Header) => boolean
  readonly lines: ReadonlyArray<Line>
  readonly isShare: boolean
  /** True if the track shows the differences of later runs to the first run. */
  readonly isDifference?: boolean
  /** True if the picture of the links of each pod stands below the track. */
  readonly hasLinkHeat?: boolean
}

const nodes = (run: RunClient): number => run.topology.nodes

const linksOf = ({ topology: { levels } }: RunClient, from: number, to?: number): number =>
  Math.max(
    1,
    levels.slice(from, to).reduce((sum, { links }) => sum + links, 0),
  )

const charts: ReadonlyArray<Chart> = [
  {
    title: 'Nodes',
    isShare: true,
    lines: [
      {
        label: 'used',
        about: 'allocated nodes, up to the requested number',
        color: '--line-1',
        figure: 'busy',
        of: nodes,
      },
      {
        label: 'idle while jobs wait',
        about: 'free nodes while a job waits: external fragmentation',
        color: '--line-2',
        figure: 'external',
        of: nodes,
      },
      {
        label: 'beyond request',
        about: 'allocated nodes beyond the requests: internal fragmentation',
        color: '--line-3',
        figure: 'internal',
        of: nodes,
      },
      { label: 'down', about: 'nodes that have failed', color: '--line-4', figure: 'down', of: nodes },
    ],
  },
  {
    title: 'Fits',
    isShare: true,
    lines: [
      {
        label: 'largest job that would fit',
        about: `dots: answers of the policy at ${FITS} visible moments; number: answer at the cursor; empty without a policy`,
        color: '--line-1',
        figure: 'fits',
        of: nodes,
      },
      {
        label: 'wholly free leaves',
        about: 'leaves with all nodes free',
        color: '--line-2',
        figure: 'wholeLeaves',
        of: (run) => run.topology.leaves,
      },
      {
        label: 'wholly free pods',
        about: 'pods with all nodes free',
        color: '--line-3',
        figure: 'wholePods',
        of: (run) => run.topology.pods,
      },
    ],
  },
  {
    title: 'Queue',
    isShare: false,
    lines: [
      {
        label: 'waiting jobs',
        about: 'jobs in the queue: not started yet, or requeued',
        color: '--line-1',
        figure: 'waiting',
        of: () => 1,
      },
    ],
  },
  {
    title: 'Links',
    isShare: true,
    isFor: ({ policy }) => policy.claims.links === 'owned',
    hasLinkHeat: true,
    lines: [
      {
        label: 'links of leaves owned',
        about: 'cables from leaves to L2 switches that belong to a job',
        color: '--line-1',
        figure: 'leafLinks',
        of: (run) => linksOf(run, 0, 1),
      },
      {
        label: 'links above owned',
        about: 'cables from L2 and higher switches up that belong to a job',
        color: '--line-2',
        figure: 'upperLinks',
        of: (run) => linksOf(run, 1),
      },
    ],
  },
  {
    title: 'Shared links',
    isShare: true,
    isFor: ({ policy }) => policy.claims.links === 'capped',
    hasLinkHeat: true,
    lines: [],
  },
  {
    title: 'Interference',
    isShare: true,
    isFor: ({ requires = [] }) => requires.includes('progress'),
    lines: [
      {
        label: 'nodes of slowed jobs',
        about: 'nodes of jobs that are slowed down on shared links',
        color: '--line-2',
        figure: 'slowed',
        of: nodes,
      },
    ],
  },
  {
    title: 'Nodes ±',
    isShare: false,
    isDifference: true,
    lines: [
      {
        label: 'nodes used more than in A',
        about: 'least and greatest difference of each pixel, until the end of the shorter run',
        color: '--line-1',
        figure: 'busy',
        of: () => 1,
      },
    ],
  },
  {
    title: 'Queue ±',
    isShare: false,
    isDifference: true,
    lines: [
      {
        label: 'jobs that wait more than in A',
        about: 'least and greatest difference of each pixel, until the end of the shorter run',
        color: '--line-2',
        figure: 'waiting',
        of: () => 1,
      },
    ],
  },
]

/** Returns the tracks in which at least one of the shown runs has values. Tracks of differences need two runs. */
export function chartsShown(): ReadonlyArray<Chart> {
  const known = charts.filter(({ isDifference }) => isDifference !== true || runs.value.length > 1)
  return known.filter(({ isFor }) =>
    runs.value.some(({ overview: { value } }) => isFor === undefined || (value !== undefined && isFor(value.header))),
  )
}
