import * as Plot from '@observablehq/plot'
import { draw, type Drawer, type Extent, type Picture } from './drawing.ts'
import { colorOf, keysOf } from './over-time.ts'

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
