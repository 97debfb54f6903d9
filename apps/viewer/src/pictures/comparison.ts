import * as Plot from '@observablehq/plot'
import { draw, type Drawer, type Extent, type Picture, seriesColors } from './drawing.ts'

/** Mean of a figure over a group of runs, and half the width of the mean's 95 % interval; null if unknown. */
export interface ComparedRuns {
  readonly name: string
  readonly mean: number
  readonly half: number | null
  /** Value of the figure in every run of the group; empty if no dots are drawn. */
  readonly values: ReadonlyArray<number>
}

export interface ComparisonText {
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
