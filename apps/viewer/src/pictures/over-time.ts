import type { TimelineFigure, TimelineMeans } from '@cloister/metrics'
import type { Topology } from '@cloister/topology'
import * as Plot from '@observablehq/plot'
import { draw, type Drawer, type Extent, type Picture, seriesColors } from './picture.ts'

/** Name of a run, number of nodes of its machine, and means of its figures over time. */
export interface RunOverTime {
  readonly name: string
  readonly nodes: number
  readonly means: TimelineMeans
}

const share = { label: 'of the machine', domain: [0, 1], percent: false, tickFormat: '.0%', grid: true } as const
const [HOUR, DAY] = [3600, 86_400]

function timeAxis(runs: ReadonlyArray<{ readonly means: { readonly t: ArrayLike<number> } }>) {
  const end = Math.max(...runs.map(({ means: { t } }) => t[t.length - 1] ?? 0))
  return end > 3 * DAY ? { unit: DAY, label: 'days' } : { unit: HOUR, label: 'hours' }
}

/** Draws the utilization over time: the share of nodes that running jobs requested, a line for each run. */
export function drawUtilization(document: Drawer, extent: Extent, runs: ReadonlyArray<RunOverTime>): Picture {
  const data = runs.flatMap(({ name, nodes, means }) =>
    Array.from(means.t, (t, at) => ({ run: name, t, share: means.busy[at] / nodes })).filter(
      (row) => !Number.isNaN(row.share),
    ),
  )
  const { unit, label } = timeAxis(runs)
  const svg = draw(document, extent, keysOf(runs), {
    x: { label, labelOffset: 38 },
    y: share,
    marks: [
      Plot.lineY(data, { x: ({ t }) => t / unit, y: 'share', z: 'run', stroke: ({ run }) => colorOf(runs, run) }),
      Plot.ruleY([0]),
    ],
  })
  return { svg, data }
}

/** Draws the uses of the machine's nodes over time, as stacked areas that add up to 100 %. */
export function drawNodeTime(document: Drawer, extent: Extent, run: RunOverTime): Picture {
  const { nodes, means } = run
  const { unit, label } = timeAxis([run])
  const length = means.t.length < 2 ? 1 : means.t[1] - means.t[0]
  const data = Array.from(means.t, (t, at) => {
    const figures = Object.fromEntries(Object.entries(means).map(([name, values]) => [name, values[at]]))
    return nodeTimeUses.map(({ name, of }) => ({ t, cause: name, share: of(figures as never, { nodes }) / nodes }))
  })
    .flat()
    .filter((row) => !Number.isNaN(row.share))
  const stacked = stack(data)
  const svg = draw(
    document,
    extent,
    nodeTimeUses.map(({ name, ink }) => ({ name, color: ink })),
    {
      x: { label, labelOffset: 38 },
      y: share,
      marks: [
        Plot.rect(stacked, {
          x1: ({ t }) => (t - length / 2) / unit,
          x2: ({ t }) => (t + length / 2) / unit,
          y1: 'from',
          y2: 'to',
          fill: ({ cause }) => inkOf(cause),
          shapeRendering: 'crispEdges',
        }),
        Plot.ruleY([0]),
      ],
    },
  )
  return { svg, data }
}

/** A line of a track: the lowest and the highest value at each point in time; null for a point without a value. */
interface TrackLine {
  readonly name: string
  readonly color: string
  readonly low: ReadonlyArray<number | null>
  readonly high: ReadonlyArray<number | null>
}

/**
 * Draws a track of the viewer's page for a paper: for each line, the area between its lowest and highest values.
 *
 * @param t times of the points, in seconds
 */
export function drawTrack(
  document: Drawer,
  extent: Extent,
  {
    t,
    lines,
    isShare,
  }: { readonly t: ArrayLike<number>; readonly lines: ReadonlyArray<TrackLine>; readonly isShare: boolean },
): Picture {
  const { unit, label } = timeAxis([{ means: { t } }])
  const data = lines.flatMap(({ name, low, high }) =>
    Array.from(t, (at, point) => ({ line: name, t: at, low: low[point], high: high[point] })).filter(
      (row) => row.high !== null,
    ),
  )
  const color = ({ line }: { readonly line: string }): string => lines.find(({ name }) => name === line)!.color
  const x = ({ t: at }: { readonly t: number }): number => at / unit
  const svg = draw(
    document,
    extent,
    lines.map(({ name, color: ink }) => ({ name, color: ink })),
    {
      x: { label, labelOffset: 38 },
      y: {
        label: isShare ? 'of the machine' : 'jobs',
        grid: true,
        zero: true,
        ...(isShare ? { tickFormat: '.0%' } : {}),
      },
      marks: [
        Plot.areaY(data, { x, y1: 'low', y2: 'high', z: 'line', fill: color, fillOpacity: 0.3 }),
        Plot.lineY(data, { x, y: 'high', z: 'line', stroke: color }),
        Plot.lineY(data, { x, y: 'low', z: 'line', stroke: color }),
        Plot.ruleY([0]),
      ],
    },
  )
  return { svg, data }
}

function stack<Row extends { readonly t: number; readonly share: number }>(
  rows: ReadonlyArray<Row>,
): ReadonlyArray<Row & { readonly from: number; readonly to: number }> {
  let [t, top] = [Number.NaN, 0]
  return rows
    .map((row) => {
      const from = row.t === t ? top : 0
      t = row.t
      top = from + row.share
      return { ...row, from, to: top }
    })
    .filter(({ share: part }) => part > 0)
}

/** Draws a stacked bar of node-time by use for each run; `shares` from 0 to 1, in the order of `nodeTimeUses`. */
export function drawNodeTimeShares(
  document: Drawer,
  extent: Extent,
  runs: ReadonlyArray<{ readonly name: string; readonly shares: ReadonlyArray<number> }>,
): Picture {
  const data = runs.flatMap(({ name, shares }) =>
    shares.map((part, cause) => ({ run: name, cause: nodeTimeUses[cause].name, share: part })),
  )
  const svg = draw(
    document,
    extent,
    nodeTimeUses.map(({ name, ink }) => ({ name, color: ink })),
    {
      x: { label: 'of all node-time', labelOffset: 38, domain: [0, 1], tickFormat: '.0%', grid: true },
      y: { label: null, domain: runs.map(({ name }) => name) },
      marginLeft: 24 + 7 * Math.max(...runs.map(({ name }) => name.length)),
      marks: [Plot.barX(data, { x: 'share', y: 'run', fill: ({ cause }) => inkOf(cause), title: titleOf })],
    },
  )
  return { svg, data }
}

function titleOf({ cause, share: part }: { readonly cause: string; readonly share: number }): string {
  return `${cause}: ${(part * 100).toFixed(2)} %`
}

function inkOf(cause: string): string {
  return nodeTimeUses.find(({ name }) => name === cause)!.ink
}

/** Returns a legend entry with name and colour for each run. */
export function keysOf(
  runs: ReadonlyArray<{ readonly name: string }>,
): ReadonlyArray<{ readonly name: string; readonly color: string }> {
  return runs.map(({ name }) => ({ name, color: colorOf(runs, name) }))
}

/** Returns the colour of the run named `run`, by the place of the run among the runs of a picture. */
export function colorOf(runs: ReadonlyArray<{ readonly name: string }>, run: string): string {
  return seriesColors[runs.findIndex(({ name }) => name === run) % seriesColors.length]
}

/** A use of the machine's nodes, such as `busy` or `down`. The nodes of all uses add up to the whole machine. */
interface NodeTimeUse {
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
