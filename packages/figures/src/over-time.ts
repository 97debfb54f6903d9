import type { TimelineFigure, TimelineMeans } from '@cloister/metrics'
import type { Topology } from '@cloister/topology'
import { type Axis, type Figure, keysOf, type Panel, type Place, type Row } from './figure.ts'

/** Name of a run, number of nodes of its machine, and means of its figures over time. */
export interface RunOverTime {
  readonly name: string
  readonly nodes: number
  readonly means: TimelineMeans
}

/** Choices for figures over time. */
export interface OverTimeLook {
  /** Unix time in seconds of the start of the log, for an axis of clock times; absent for times since the start. */
  readonly epoch?: number
  /** True for a panel for each run; false or absent for all runs in one panel. */
  readonly isInPanels?: boolean
}

/** Returns the begin and the end of equally long spans with the given middles. */
function spanOf(middles: ArrayLike<number>): readonly [from: number, to: number] {
  const last = middles.length - 1
  const half = last < 1 ? 0.5 : (middles[1] - middles[0]) / 2
  return last < 0 ? [0, 1] : [middles[0] - half, middles[last] + half]
}

/** Returns an axis of times. The coordinates are seconds since the start of the log. */
export function timeAxis({ epoch }: OverTimeLook = {}): Axis {
  return { label: 'time', field: 'time', scale: 'time', secondsInUnit: 1, ...(epoch === undefined ? {} : { epoch }) }
}

const shareAxis: Axis = { label: 'share of nodes', field: 'share', scale: 'linear', format: 'share', domain: [0, 1] }

/** Returns the panels of lines: one panel with the lines of all runs, or a panel with the run's name for each run. */
export function panelsOf(
  names: ReadonlyArray<string>,
  { isInPanels = false }: OverTimeLook,
  panelOf: (names: ReadonlyArray<string>) => Omit<Panel, 'title'>,
): ReadonlyArray<Panel> {
  return isInPanels ? names.map((name) => ({ ...panelOf([name]), title: name })) : [panelOf(names)]
}

/** Utilization over time: the share of nodes that running jobs requested, a line for each run. */
export function utilizationFigure(runs: ReadonlyArray<RunOverTime>, look: OverTimeLook = {}): Figure {
  const data = runs.flatMap(({ name, nodes, means }) =>
    Array.from(means.t, (t, at) => ({ run: name, t, share: means.busy[at] / nodes })).filter(
      (row) => !Number.isNaN(row.share),
    ),
  )
  const names = runs.map(({ name }) => name)
  const ends = runs.flatMap(({ means }) => spanOf(means.t))
  return {
    x: { ...timeAxis(look), domain: [Math.min(...ends), Math.max(...ends)] },
    panels: panelsOf(names, look, (shown) => ({
      y: { ...shareAxis, label: 'utilization' },
      marks: shown.map((name) => ({ shape: 'line', rows: linesOf(data.filter(({ run }) => run === name)) })),
    })),
    keys: keysOf(names),
    keyField: 'run',
    data,
  }
}

function linesOf(rows: ReadonlyArray<{ readonly run: string; readonly t: number; readonly share: number }>) {
  return rows.map(({ run, t, share }) => ({ x: t, y: share, key: run }))
}

/** Uses of the machine's nodes over time, as stacked areas that add up to 100 %, with a panel for each run. */
export function nodeTimeFigure(
  runs: ReadonlyArray<RunOverTime>,
  look: OverTimeLook = {},
  uses: ReadonlyArray<NodeTimeUse> = nodeTimeUses,
): Figure {
  const stacks = runs.map((run) => stackOf(run, uses))
  const ends = runs.flatMap(({ means }) => spanOf(means.t))
  return {
    x: { ...timeAxis(look), domain: [Math.min(...ends), Math.max(...ends)] },
    panels: runs.map(({ name }, at) => ({
      ...(runs.length > 1 ? { title: name } : {}),
      y: shareAxis,
      marks: [{ shape: 'step-area', rows: stacks[at].places }],
    })),
    keys: uses.map(({ name, ink }) => ({ name, color: ink })),
    keyField: 'use',
    data: stacks.flatMap(({ rows }, at) =>
      runs.length > 1 ? rows.map((row) => ({ run: runs[at].name, ...row })) : rows,
    ),
  }
}

/** Returns the uses of the nodes at each point in time, as numbers and as areas above each other. */
function stackOf(
  { nodes, means }: RunOverTime,
  uses: ReadonlyArray<NodeTimeUse>,
): { readonly rows: ReadonlyArray<Row>; readonly places: ReadonlyArray<Place> } {
  const [begin, end] = spanOf(means.t)
  const length = (end - begin) / Math.max(1, means.t.length)
  const rows: Array<Row> = []
  const places: Array<Place> = []
  for (const [at, t] of means.t.entries()) {
    const figures = Object.fromEntries(Object.entries(means).map(([name, values]) => [name, values[at]]))
    const shares = uses.map(({ of }) => of(figures as Parameters<typeof of>[0], { nodes }) / nodes)
    if (shares.some((share) => Number.isNaN(share))) continue
    let top = 0
    for (const [use, share] of shares.entries()) {
      const place = { y: top, y2: top + share, key: uses[use].name }
      rows.push({ t, cause: place.key, share })
      places.push({ ...place, x: t - length / 2 })
      // A last step ends the area at the end of the last span.
      if (at === means.t.length - 1) places.push({ ...place, x: end })
      top += share
    }
  }
  return { rows, places }
}

/** A line of a track: the lowest and the highest value at each point in time; null for a point without a value. */
export interface TrackLine {
  readonly name: string
  readonly color: string
  readonly low: ReadonlyArray<number | null>
  readonly high: ReadonlyArray<number | null>
}

/**
 * A track of the viewer's page: for each line, the area between its lowest and highest values.
 *
 * @param t times of the points, in seconds
 */
export function trackFigure({
  t,
  lines,
  isShare,
}: {
  readonly t: ArrayLike<number>
  readonly lines: ReadonlyArray<TrackLine>
  readonly isShare: boolean
}): Figure {
  const data = lines.flatMap(({ name, low, high }) =>
    Array.from(t, (at, point) => ({ line: name, t: at, low: low[point], high: high[point] })).filter(
      (row) => row.high !== null,
    ),
  )
  const placed = data.map(({ line, t: x, low, high }) => ({ x, y: low!, y2: high!, key: line }))
  const counts: Axis = { label: 'jobs', field: 'jobs', scale: 'linear', hasZero: true }
  const shares: Axis = { ...counts, label: 'share of nodes', field: 'share', format: 'share' }
  return {
    x: timeAxis(),
    panels: [
      {
        y: isShare ? shares : counts,
        marks: [
          { shape: 'area', rows: placed, opacity: 0.3 },
          { shape: 'line', rows: placed.map(({ x, y2, key }) => ({ x, y: y2, key })) },
          { shape: 'line', rows: placed.map(({ x, y, key }) => ({ x, y, key })) },
        ],
      },
    ],
    keys: lines.map(({ name, color }) => ({ name, color })),
    keyField: 'line',
    data,
  }
}

/** A stacked bar of node-time by use for each run; `shares` from 0 to 1, in the order of `nodeTimeUses`. */
export function nodeTimeSharesFigure(
  runs: ReadonlyArray<{ readonly name: string; readonly shares: ReadonlyArray<number> }>,
): Figure {
  const bars = runs.flatMap(({ shares }, run) => {
    let end = 0
    return shares.map((part, use): Place => {
      const x = end
      end += part
      return { x, x2: end, y: run + 0.15, y2: run + 0.85, key: nodeTimeUses[use].name }
    })
  })
  return {
    x: { label: 'share of all node-time', field: 'share', scale: 'linear', format: 'share', domain: [0, 1] },
    panels: [{ y: rowsAxis(runs.map(({ name }) => name)), marks: [{ shape: 'rect', rows: bars }] }],
    keys: nodeTimeUses.map(({ name, ink }) => ({ name, color: ink })),
    keyField: 'use',
    data: runs.flatMap(({ name, shares }) =>
      shares.map((share, use) => ({ run: name, cause: nodeTimeUses[use].name, share })),
    ),
  }
}

/** Returns an axis with a row for each name, from above to below: row N has the coordinates N to N + 1. */
export function rowsAxis(names: ReadonlyArray<string>): Axis {
  const ticks = names.map((label, row) => ({ at: row + 0.5, label }))
  return { label: '', field: 'row', scale: 'linear', domain: [names.length, 0], ticks }
}

/** Waiting jobs of a run over time. A value lasts from `t` (seconds) to the next. */
export interface QueueOverTime {
  readonly name: string
  readonly t: ReadonlyArray<number>
  readonly jobs: ReadonlyArray<number>
  /** Nodes that all waiting jobs request, in total. */
  readonly nodes: ReadonlyArray<number>
}

/** The queue over time: waiting jobs above, requested nodes of the waiting jobs below, a line for each run. */
export function queueFigure(runs: ReadonlyArray<QueueOverTime>, look: OverTimeLook = {}): Figure {
  const lines = ['jobs', 'nodes'] as const
  const names = runs.map(({ name }) => name)
  const panels = lines.flatMap((what) =>
    panelsOf(names, look, (shown) => ({
      y: { label: what === 'jobs' ? 'waiting jobs' : 'requested nodes', field: what, scale: 'linear', hasZero: true },
      marks: runs
        .filter(({ name }) => shown.includes(name))
        .map((run) => ({ shape: 'steps', rows: run.t.map((t, at) => ({ x: t, y: run[what][at], key: run.name })) })),
    })),
  )
  return {
    x: timeAxis(look),
    panels,
    keys: keysOf(names),
    keyField: 'run',
    data: runs.flatMap(({ name, t, jobs, nodes }) =>
      t.map((at, point) => ({ run: name, t: at, jobs: jobs[point], nodes: nodes[point] })),
    ),
  }
}

/** Largest job that fits in a run over time. A value lasts from `t` (seconds) to the next. */
export interface CapacityOfRun {
  readonly name: string
  readonly steps: ReadonlyArray<{ readonly t: number; readonly idle: number; readonly largest: number }>
}

const capacityLines = [
  { field: 'idle', name: 'idle nodes', color: '#f4c46e' },
  { field: 'largest', name: 'largest job that fits', color: '#2f5d8a' },
] as const

/** Idle nodes and the nodes of the largest job that fits over time, with a panel for each run. */
export function capacityFigure(runs: ReadonlyArray<CapacityOfRun>, look: OverTimeLook = {}): Figure {
  return {
    x: timeAxis(look),
    panels: runs.map(({ name, steps }) => ({
      ...(runs.length > 1 ? { title: name } : {}),
      y: { label: 'nodes', field: 'nodes', scale: 'linear', hasZero: true },
      marks: capacityLines.map((line) => ({
        shape: 'steps',
        rows: steps.map((step) => ({ x: step.t, y: step[line.field], key: line.name })),
      })),
    })),
    keys: capacityLines.map(({ name, color }) => ({ name, color })),
    keyField: 'line',
    data: runs.flatMap(({ name, steps }) =>
      steps.map(({ t, idle, largest }) => ({ ...(runs.length > 1 ? { run: name } : {}), t, idle, largest })),
    ),
  }
}

/** A use of the machine's nodes, such as `busy` or `down`. The nodes of all uses add up to the whole machine. */
export interface NodeTimeUse {
  readonly name: string
  readonly about: string
  /** Colour of the use in pictures on white paper. */
  readonly ink: string
  /** Returns the number of nodes of the use, from the figures of a timeline at a moment. */
  readonly of: (figures: Readonly<Record<TimelineFigure, number>>, topology: Pick<Topology, 'nodes'>) => number
}

/** All uses of the machine's nodes, from the best to the worst. Pictures stack the uses in this order from below. */
export const nodeTimeUses: ReadonlyArray<NodeTimeUse> = [
  { name: 'busy', about: 'requested by running jobs', ink: '#96a6b8', of: ({ busy }) => busy },
  {
    name: 'beyond request',
    about: 'allocated to jobs beyond the requests',
    ink: '#be96cd',
    of: ({ internal }) => internal,
  },
  {
    name: 'down',
    about: 'down, and held by no job',
    ink: '#5a1414',
    of: ({ busy, internal, idle }, { nodes }) => nodes - busy - internal - idle,
  },
  { name: 'no job waits', about: 'idle while no job waits', ink: '#e4e5e2', of: ({ noJob }) => noJob },
  {
    name: 'too few nodes',
    about: 'idle while each waiting job requests more nodes than are idle',
    ink: '#f4c46e',
    of: ({ tooFewNodes }) => tooFewNodes,
  },
  {
    name: 'fragmented',
    about:
      'idle while a waiting job requests no more nodes; causes: shape, links, a reservation, or the order of the queue',
    ink: '#d6421e',
    of: ({ fragmented }) => fragmented,
  },
]

/** Uses of the nodes of a real machine, in the order of `nodeTimeUses`. Its log does not tell why nodes stay idle. */
export const observedUses: ReadonlyArray<NodeTimeUse> = nodeTimeUses.with(-1, {
  name: 'idle, enough for a waiting job',
  about: 'idle while a waiting job requests no more nodes; the log does not tell why the job waits',
  ink: '#d8c3a5',
  of: ({ fragmented }) => fragmented,
})
