import type { Header } from '@cloister/eventlog'
import { useNames } from '../../words.ts'
import type { Track } from '../extensions.ts'
import type { RunClient } from '../state/run-client.ts'
import { runs } from '../state/session.ts'
import { FITS } from './figures-over-time.ts'
import { lineTrack } from './line-track.tsx'
import { linkHeat } from './link-heat.tsx'

const linksOf = ({ topology: { levels } }: RunClient, from: number, to?: number): number =>
  Math.max(
    1,
    levels.slice(from, to).reduce((sum, { links }) => sum + links, 0),
  )

/** Returns true if a shown run has values in a track. */
function isForRun(isFor: (header: Header) => boolean): boolean {
  return runs.value.some(({ overview: { value } }) => value !== undefined && isFor(value.header))
}

/** Tracks of figures over the visible times. */
export const lineTracks: ReadonlyArray<Track> = [
  lineTrack({
    name: 'Nodes',
    isShare: true,
    lines: [
      { label: useNames.busy, about: 'nodes requested by running jobs', color: '--line-1', figure: 'busy' },
      {
        label: useNames.external,
        about: 'free nodes while a job waits: external fragmentation',
        color: '--line-2',
        figure: 'external',
      },
      {
        label: useNames.internal,
        about: 'allocated nodes beyond the requests: internal fragmentation',
        color: '--line-3',
        figure: 'internal',
      },
      { label: useNames.down, about: 'nodes that have failed', color: '--line-4', figure: 'down' },
    ],
  }),
  lineTrack({
    name: 'Fits',
    isShare: true,
    lines: [
      {
        label: 'largest job that would fit',
        about: `dots: answers of the policy at ${FITS} visible moments; number: answer at the cursor; empty without a policy`,
        color: '--line-1',
        figure: 'fits',
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
  }),
  lineTrack({
    name: 'Queue',
    isShare: false,
    lines: [
      {
        label: 'waiting jobs',
        about: 'jobs in the queue: not started yet, or requeued',
        color: '--line-1',
        figure: 'waiting',
      },
    ],
  }),
  lineTrack({
    name: 'Links',
    isFolded: true,
    isShare: true,
    isOffered: () => isForRun(({ policy }) => policy.claims.links === 'owned'),
    below: linkHeat,
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
  }),
  {
    name: 'Shared links',
    height: 0,
    isOffered: () => isForRun(({ policy }) => policy.claims.links === 'capped'),
    useData: () => undefined,
    below: linkHeat,
  },
  lineTrack({
    name: 'Interference',
    isShare: true,
    isOffered: () => isForRun(({ requires = [] }) => requires.includes('progress')),
    lines: [
      {
        label: 'nodes of slowed jobs',
        about: 'nodes of jobs that are slowed down on shared links',
        color: '--line-2',
        figure: 'slowed',
      },
    ],
  }),
  lineTrack({
    name: 'Nodes ±',
    isShare: false,
    isDifference: true,
    lines: [
      {
        label: 'busy nodes more than in A',
        about: 'least and greatest difference of each pixel, until the end of the shorter run',
        color: '--line-1',
        figure: 'busy',
      },
    ],
  }),
  lineTrack({
    name: 'Queue ±',
    isShare: false,
    isDifference: true,
    lines: [
      {
        label: 'jobs that wait more than in A',
        about: 'least and greatest difference of each pixel, until the end of the shorter run',
        color: '--line-2',
        figure: 'waiting',
      },
    ],
  }),
]
