import * as Plot from '@observablehq/plot'
import { draw, type Drawer, type Extent, type Picture, seriesColors } from './drawing.ts'

/** Values of one figure in runs that differ by chance alone. */
export interface ComparedRuns {
  readonly name: string
  readonly values: ReadonlyArray<number>
}

/** Student's t at 97.5 %, for 1, 2, … degrees of freedom; from 30 on that of the normal distribution is near enough. */
const studentT = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045,
]

/** The mean of some values and the half width of its 95 % confidence interval; null for a single value. */
export function meanWithInterval(values: ReadonlyArray<number>): {
  readonly mean: number
  readonly half: number | null
} {
  const mean = values.reduce((sum, each) => sum + each, 0) / values.length
  if (values.length < 2) return { mean, half: null }
  const variance = values.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (values.length - 1)
  return { mean, half: (studentT[values.length - 2] ?? 1.96) * Math.sqrt(variance / values.length) }
}

/** The mean of a figure of each group of runs with its 95 % confidence interval, and every run as a dot. */
export function drawComparison(
  document: Drawer,
  extent: Extent,
  groups: ReadonlyArray<ComparedRuns>,
  { label, isShare }: { readonly label: string; readonly isShare: boolean },
): Picture {
  const data = groups.map(({ name, values }) => {
    const { mean, half } = meanWithInterval(values)
    const [low, high] = half === null ? [null, null] : [mean - half, mean + half]
    return { runs: name, count: values.length, mean, low, high }
  })
  const dots = groups.flatMap(({ name, values }) => values.map((value) => ({ runs: name, value })))
  const known = data.filter(({ low }) => low !== null)
  const [ink] = seriesColors
  const svg = draw(
    document,
    extent,
    [
      { name: 'mean and 95 % confidence interval', color: ink },
      { name: 'a run', color: ink, isEmpty: true },
    ],
    {
      x: { label, labelOffset: 38, grid: true, inset: 12, ...(isShare ? { tickFormat: '.1%' } : {}) },
      y: { label: null, domain: groups.map(({ name }) => name) },
      marginLeft: 24 + 7 * Math.max(...groups.map(({ name }) => name.length)),
      marks: [
        Plot.dot(dots, { x: 'value', y: 'runs', stroke: ink, strokeOpacity: 0.5, r: 3 }),
        Plot.ruleY(known, { x1: 'low', x2: 'high', y: 'runs', stroke: ink, strokeWidth: 2 }),
        Plot.tickX(known, { x: 'low', y: 'runs', stroke: ink, inset: 8 }),
        Plot.tickX(known, { x: 'high', y: 'runs', stroke: ink, inset: 8 }),
        Plot.dot(data, { x: 'mean', y: 'runs', fill: ink, r: 5, title: ({ mean }) => String(mean) }),
      ],
    },
  )
  return { svg, data }
}
