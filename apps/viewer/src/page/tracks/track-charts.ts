import type { Header } from '@cloister/eventlog'
import type { TimelineFigure } from '@cloister/metrics'
import type { RunClient } from '../state/run-client.ts'
import { runs } from '../state/session.ts'

/** Number of points in the track of the largest job that would fit. The policy is asked about each point. */
export const FITS = 40

/** A line of a track: the extremes of a figure, or dots at the moments that the policy was asked about. */
export interface Line {
  readonly label: string
  /** Meaning of the line, shown as a tooltip. */
  readonly about: string
  readonly color: string
  readonly figure: TimelineFigure | 'fits'
  /** Returns the whole amount that shares are of. */
  readonly of: (run: RunClient) => number
}

/** A track of the timelines. */
export interface Chart {
  readonly title: string
  /** Returns true if a run has values in the track; undefined if every run has. */
  readonly isFor?: (header: Header) => boolean
  readonly lines: ReadonlyArray<Line>
  readonly isShare: boolean
  /** True if the track shows the differences of later runs to the first run. */
  readonly isDifference?: boolean
  /** True if the links of each pod are shown below. */
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
      { label: 'used', about: 'nodes that jobs asked for and hold', color: '--line-1', figure: 'busy', of: nodes },
      {
        label: 'idle while jobs wait',
        about: 'free nodes while a job waits: external fragmentation',
        color: '--line-2',
        figure: 'external',
        of: nodes,
      },
      {
        label: 'beyond request',
        about: 'nodes given to jobs beyond what they asked for: internal fragmentation',
        color: '--line-3',
        figure: 'internal',
        of: nodes,
      },
      { label: 'down', about: 'nodes that are broken', color: '--line-4', figure: 'down', of: nodes },
    ],
  },
  {
    title: 'Room',
    isShare: true,
    lines: [
      {
        label: 'largest job that would fit',
        about: `the policy is asked at the cursor, and for a dot each at ${FITS} moments of what is drawn; nothing where it is not at hand`,
        color: '--line-1',
        figure: 'fits',
        of: nodes,
      },
      {
        label: 'wholly free leaves',
        about: 'leaves all of whose nodes are free',
        color: '--line-2',
        figure: 'wholeLeaves',
        of: (run) => run.topology.leaves,
      },
      {
        label: 'wholly free pods',
        about: 'pods all of whose nodes are free',
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
        about: 'jobs that came and have not started',
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
        about: 'cables from leaves up that belong to a job',
        color: '--line-1',
        figure: 'leafLinks',
        of: (run) => linksOf(run, 0, 1),
      },
      {
        label: 'links above owned',
        about: 'cables between higher switches that belong to a job',
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
        about: 'nodes of jobs slowed on shared links',
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
        about: 'the least and the most of each pixel, while both runs go on',
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
        about: 'the least and the most of each pixel, while both runs go on',
        color: '--line-2',
        figure: 'waiting',
        of: () => 1,
      },
    ],
  },
]

/** Returns the tracks in which at least one of the runs has values. */
export function chartsShown(): ReadonlyArray<Chart> {
  const known = charts.filter(({ isDifference }) => isDifference !== true || runs.value.length > 1)
  return known.filter(({ isFor }) =>
    runs.value.some(({ overview: { value } }) => isFor === undefined || (value !== undefined && isFor(value.header))),
  )
}
