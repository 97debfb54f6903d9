import * as Plot from '@observablehq/plot'
import { colorOf, keysOf } from './over-time.ts'
import { draw, type Drawer, type Extent, type Picture, seriesColors } from './picture.ts'

/** Values of a field such as the wait of each job of a run (NaN: none), and sizes of the jobs, in submit order. */
export interface RunOfJobs {
  readonly name: string
  readonly sizes: ReadonlyArray<number>
  readonly values: ReadonlyArray<number>
}

/** Label of an axis, and the divisor `unit` of the values, such as 3600 for values in seconds shown in hours. */
export interface FigureAxis {
  readonly label: string
  readonly unit: number
}

/** Greatest number of points in the line of a distribution. */
const STEPS = 400

/**
 * Draws the distribution of the values for each class of job sizes (1, 2, 3-4, 5-8, …) and each run. A line spans the
 * 10 % to the 90 % quantile, a box the 25 % to the 75 % quantile, and a bold line shows the median.
 */
export function drawBySize(
  document: Drawer,
  extent: Extent,
  runs: ReadonlyArray<RunOfJobs>,
  { label, unit }: FigureAxis,
): Picture {
  const data = runs.flatMap((run) => classesOf(run, unit))
  const classes = [...new Set(data.map(({ sizes }) => sizes))].sort((a, b) => Number.parseInt(a) - Number.parseInt(b))
  const color = ({ run }: { readonly run: string }): string => colorOf(runs, run)
  const svg = draw(document, extent, keysOf(runs), {
    fx: { label: 'nodes', labelOffset: 38, domain: classes, padding: 0.15 },
    x: { axis: null, domain: runs.map(({ name }) => name), padding: 0.2 },
    y: { label, grid: true, type: 'symlog', constant: 1 },
    marks: [
      Plot.ruleX(data, { fx: 'sizes', x: 'run', y1: 'p10', y2: 'p90', stroke: color }),
      Plot.barY(data, { fx: 'sizes', x: 'run', y1: 'p25', y2: 'p75', fill: color, fillOpacity: 0.45, stroke: color }),
      Plot.tickY(data, { fx: 'sizes', x: 'run', y: 'median', stroke: color, strokeWidth: 2, title: titleOf }),
      Plot.ruleY([0]),
    ],
  })
  return { svg, data }
}

function titleOf({
  run,
  jobs,
  median,
}: {
  readonly run: string
  readonly jobs: number
  readonly median: number
}): string {
  return `${run}: ${jobs} jobs, median ${median}`
}

function classesOf({ name, sizes, values }: RunOfJobs, unit: number) {
  const classes = new Map<string, Array<number>>()
  for (const [at, size] of sizes.entries()) {
    if (Number.isNaN(values[at])) continue
    const to = size <= 1 ? 1 : 2 ** Math.ceil(Math.log2(size))
    const key = to <= 2 ? String(to) : `${to / 2 + 1}-${to}`
    const members = classes.get(key)
    if (members === undefined) classes.set(key, [values[at]])
    else members.push(values[at])
  }
  return Array.from(classes, ([key, members]) => {
    const sorted = Float64Array.from(members).sort()
    const at = (part: number): number => sorted[Math.round(part * (sorted.length - 1))] / unit
    return {
      run: name,
      sizes: key,
      jobs: sorted.length,
      p10: at(0.1),
      p25: at(0.25),
      median: at(0.5),
      p75: at(0.75),
      p90: at(0.9),
    }
  })
}

/** Draws a line for each run: for each value, the share of the jobs with at most this value. */
export function drawEcdf(
  document: Drawer,
  extent: Extent,
  runs: ReadonlyArray<RunOfJobs>,
  { label, unit }: FigureAxis,
): Picture {
  const data = runs.flatMap(({ name, values }) => {
    const sorted = Float64Array.from(values.filter((value) => !Number.isNaN(value))).sort()
    const steps = Math.min(STEPS, sorted.length)
    return Array.from({ length: steps }, (_, step) => {
      const rank = Math.ceil(((step + 1) / steps) * sorted.length)
      return { run: name, value: sorted[rank - 1] / unit, share: rank / sorted.length }
    })
  })
  const svg = draw(document, extent, keysOf(runs), {
    x: { label, labelOffset: 38, type: 'symlog', constant: 1, grid: true },
    y: { label: 'of the jobs', domain: [0, 1], tickFormat: '.0%', grid: true },
    marks: [
      Plot.lineY(data, {
        x: 'value',
        y: 'share',
        z: 'run',
        curve: 'step-after',
        stroke: ({ run }) => colorOf(runs, run),
      }),
      Plot.ruleY([0]),
    ],
  })
  return { svg, data }
}

/** Mean of a figure over a group of runs, and half the width of the mean's 95 % interval; null if unknown. */
interface ComparedRuns {
  readonly name: string
  readonly mean: number
  readonly half: number | null
  /** Value of the figure in every run of the group; empty if no dots are drawn. */
  readonly values: ReadonlyArray<number>
}

interface ComparisonText {
  readonly label: string
  readonly format: (value: number) => string
}

/** Draws a row for each group of runs: the mean with its 95 % interval, and a dot for every run. */
export function drawComparison(
  document: Drawer,
  extent: Extent,
  groups: ReadonlyArray<ComparedRuns>,
  { label, format }: ComparisonText,
): Picture {
  const data = groups.map(({ name, mean, half, values }) => {
    const [low, high] = half === null ? [null, null] : [mean - half, mean + half]
    return { runs: name, count: values.length, mean, low, high }
  })
  const dots = groups.flatMap(({ name, values }) => values.map((value) => ({ runs: name, value })))
  const known = data.flatMap(({ runs, low, high }) => (low === null || high === null ? [] : [{ runs, low, high }]))
  const [ink] = seriesColors
  const titleOf = ({ runs, mean, low, high }: (typeof data)[number]): string =>
    `${runs}: ${format(mean)}${low === null || high === null ? '' : `, ${format(low)} to ${format(high)}`}`
  const svg = draw(
    document,
    extent,
    [
      ...(known.length === 0 ? [] : [{ name: 'mean and 95 % interval', color: ink }]),
      ...(dots.length === 0 ? [] : [{ name: 'a run', color: ink, isEmpty: true }]),
    ],
    {
      x: { label, labelArrow: 'none', labelOffset: 38, grid: true, inset: 12, ticks: 5, tickFormat: format },
      y: { label: null, domain: groups.map(({ name }) => name) },
      marginLeft: 24 + 7 * Math.max(...groups.map(({ name }) => name.length)),
      marginRight: 40,
      marks: [
        Plot.dot(dots, { x: 'value', y: 'runs', stroke: ink, strokeOpacity: 0.5, r: 3 }),
        Plot.ruleY(known, { x1: 'low', x2: 'high', y: 'runs', stroke: ink, strokeWidth: 2 }),
        Plot.dot(
          known.flatMap(({ runs, low, high }) => [
            { runs, edge: low },
            { runs, edge: high },
          ]),
          { x: 'edge', y: 'runs', stroke: ink, strokeWidth: 2, symbol: edgeMark },
        ),
        Plot.dot(data, { x: 'mean', y: 'runs', fill: ink, r: 5, title: titleOf }),
      ],
    },
  )
  return { svg, data }
}

const edgeMark = {
  draw(context: {
    readonly moveTo: (x: number, y: number) => void
    readonly lineTo: (x: number, y: number) => void
  }): void {
    context.moveTo(0, -5)
    context.lineTo(0, 5)
  },
}
