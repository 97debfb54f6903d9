import * as Plot from '@observablehq/plot'
import type { TimelineMeans } from '@cloister/metrics'
import { lostCauses } from './lost-causes.ts'
import { draw, type Drawer, type Extent, type Picture, seriesColors } from './drawing.ts'

/** A run over time. */
export interface RunOverTime {
  readonly name: string
  readonly nodes: number
  readonly means: TimelineMeans
}

const share = { label: 'of the machine', domain: [0, 1], percent: false, tickFormat: '.0%', grid: true } as const
const [HOUR, DAY] = [3600, 86_400]

/** Runs of more than some days are told in days. */
function timeAxis(runs: ReadonlyArray<RunOverTime>) {
  const end = Math.max(...runs.map(({ means }) => means.t.at(-1) ?? 0))
  return end > 3 * DAY ? { unit: DAY, label: 'days' } : { unit: HOUR, label: 'hours' }
}

/** The share of nodes that running jobs asked for, a line for each run. */
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

/** What became of the machine over time, by cause: areas that add up to all of it. */
export function drawLost(document: Drawer, extent: Extent, run: RunOverTime): Picture {
  const { nodes, means } = run
  const { unit, label } = timeAxis([run])
  const length = means.t.length < 2 ? 1 : means.t[1] - means.t[0]
  const data = Array.from(means.t, (t, at) => {
    const figures = Object.fromEntries(Object.entries(means).map(([name, values]) => [name, values[at]]))
    return lostCauses.map(({ name, of }) => ({ t, cause: name, share: of(figures as never, { nodes }) / nodes }))
  })
    .flat()
    .filter((row) => !Number.isNaN(row.share))
  const stacked = stack(data)
  const svg = draw(
    document,
    extent,
    lostCauses.map(({ name, ink }) => ({ name, color: ink })),
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

/** What became of all node-time, a bar for each run. */
export function drawLostShares(
  document: Drawer,
  extent: Extent,
  runs: ReadonlyArray<{ readonly name: string; readonly shares: ReadonlyArray<number> }>,
): Picture {
  const data = runs.flatMap(({ name, shares }) =>
    shares.map((part, cause) => ({ run: name, cause: lostCauses[cause].name, share: part })),
  )
  const svg = draw(
    document,
    extent,
    lostCauses.map(({ name, ink }) => ({ name, color: ink })),
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
  return lostCauses.find(({ name }) => name === cause)!.ink
}

/** A legend of runs; none for a single one. */
export function keysOf(
  runs: ReadonlyArray<{ readonly name: string }>,
): ReadonlyArray<{ readonly name: string; readonly color: string }> {
  return runs.map(({ name }) => ({ name, color: colorOf(runs, name) }))
}

/** The colour of a run among others. */
export function colorOf(runs: ReadonlyArray<{ readonly name: string }>, run: string): string {
  return seriesColors[runs.findIndex(({ name }) => name === run) % seriesColors.length]
}
