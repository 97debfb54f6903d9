import { percent } from './quantities.ts'
import { type Svg, formatSvg, svg } from './svg.ts'

/** Bars in groups, one of each series in a group, in panels side by side: plain data. */
export interface BarChart {
  readonly series: ReadonlyArray<{ readonly name: string; readonly color: string }>
  readonly panels: ReadonlyArray<{ readonly title: string; readonly groups: ReadonlyArray<BarGroup> }>
  readonly axis: {
    readonly label: string
    readonly from: number
    readonly to: number
    readonly step: number
    /** How values are written: shares as percentages. */
    readonly unit: 'share' | 'ratio'
    readonly digits: number
    /** Draws a line across, where one value is what the others are measured against. */
    readonly reference?: number
  }
  /** What filled and empty bars are, where there are both. */
  readonly note?: string
}

export interface BarGroup {
  readonly name: string
  /** In the order of the series; null leaves the place empty. */
  readonly bars: ReadonlyArray<Bar | null>
}

/** A filled bar up to `value` and, where it is given, an empty one up to `outline`. */
export interface Bar {
  readonly value: number
  readonly outline?: number
}

const barWidth = 13
const letterWidth = 7
const groupGap = 18
const plotHeight = 220
const margin = { top: 64, bottom: 34, left: 62, right: 14 }
const panelGap = 26

export function drawBarChart(chart: BarChart): string {
  const longest = Math.max(...chart.panels.flatMap(({ groups }) => groups.map(({ name }) => name.length)))
  const groupWidth = Math.max(chart.series.length * barWidth + groupGap, longest * letterWidth + 8)
  const panels: Array<Svg> = []
  let x = margin.left
  for (const panel of chart.panels) {
    const width = panel.groups.length * groupWidth
    panels.push(svg('g', { transform: `translate(${x} ${margin.top})` }, ...drawPanel(chart, panel, width, groupWidth)))
    x += width + panelGap
  }
  const width = Math.max(x - panelGap + margin.right, margin.left + legendWidth(chart) + margin.right)
  const height = margin.top + plotHeight + margin.bottom
  return formatSvg(width, height, drawLegend(chart), drawAxis(chart), ...panels)
}

function height(chart: BarChart, value: number): number {
  const { from, to } = chart.axis
  return ((Math.min(Math.max(value, from), to) - from) / (to - from)) * plotHeight
}

function valueText({ axis: { unit, digits } }: BarChart, value: number): string {
  return unit === 'share' ? percent(value, digits) : value.toFixed(digits)
}

function ticks({ axis }: BarChart): ReadonlyArray<number> {
  return Array.from(
    { length: Math.round((axis.to - axis.from) / axis.step) + 1 },
    (_, index) => axis.from + index * axis.step,
  )
}

function drawAxis(chart: BarChart): Svg {
  const labels = ticks(chart).map((value) =>
    svg('text', { x: -8, y: plotHeight - height(chart, value) + 4, 'text-anchor': 'end' }, valueText(chart, value)),
  )
  const title = svg(
    'text',
    { transform: `translate(-46 ${plotHeight / 2}) rotate(-90)`, 'text-anchor': 'middle' },
    chart.axis.label,
  )
  return svg('g', { transform: `translate(${margin.left} ${margin.top})` }, title, ...labels)
}

function drawPanel(
  chart: BarChart,
  { title, groups }: BarChart['panels'][number],
  width: number,
  groupWidth: number,
): ReadonlyArray<Svg> {
  const line = (value: number, stroke: string): Svg =>
    svg('line', {
      x1: 0,
      x2: width,
      y1: plotHeight - height(chart, value),
      y2: plotHeight - height(chart, value),
      stroke,
    })
  return [
    ...(title === ''
      ? []
      : [svg('text', { x: width / 2, y: -10, 'text-anchor': 'middle', 'font-weight': 'bold' }, title)]),
    ...ticks(chart).map((value) => line(value, '#dddddd')),
    ...groups.flatMap((group, index) =>
      drawGroup(chart, group, index * groupWidth + (groupWidth - chart.series.length * barWidth) / 2),
    ),
    ...(chart.axis.reference === undefined ? [] : [line(chart.axis.reference, '#444444')]),
    svg('path', { d: `M0 0V${plotHeight}H${width}`, fill: 'none', stroke: '#444444' }),
  ]
}

function drawGroup(chart: BarChart, { name, bars }: BarGroup, x: number): ReadonlyArray<Svg> {
  const label = svg(
    'text',
    { x: x + (chart.series.length * barWidth) / 2, y: plotHeight + 18, 'text-anchor': 'middle' },
    name,
  )
  return [
    ...bars.flatMap((bar, index) =>
      bar === null ? [] : drawBar(chart, bar, chart.series[index], x + index * barWidth),
    ),
    label,
  ]
}

function drawBar(
  chart: BarChart,
  { value, outline }: Bar,
  { name, color }: BarChart['series'][number],
  x: number,
): ReadonlyArray<Svg> {
  const box = (to: number, attributes: Svg['attributes'], says: string): Svg =>
    svg(
      'rect',
      { x: x + 0.5, y: plotHeight - height(chart, to), width: barWidth - 1, height: height(chart, to), ...attributes },
      svg('title', {}, `${name}: ${says}`),
    )
  const highest = Math.max(value, outline ?? value)
  return [
    ...(outline === undefined
      ? []
      : [
          box(
            outline,
            { fill: 'white', stroke: color, 'stroke-width': 1.2 },
            `${valueText(chart, value)}, ${valueText(chart, outline)}`,
          ),
        ]),
    box(value, { fill: color }, valueText(chart, value)),
    // Bars that leave the plot tell how far.
    ...(highest <= chart.axis.to
      ? []
      : [
          svg(
            'text',
            {
              transform: `translate(${x + barWidth / 2 + 3} 4) rotate(-90)`,
              'font-size': 9,
              'text-anchor': 'end',
              stroke: 'white',
              'stroke-width': 3,
              'paint-order': 'stroke',
            },
            valueText(chart, highest),
          ),
        ]),
  ]
}

const legendItemWidth = 84

function legendWidth({ series, note }: BarChart): number {
  return series.length * legendItemWidth + (note ?? '').length * 6
}

function drawLegend({ series, note }: BarChart): Svg {
  const items = series.flatMap(({ name, color }, index) => [
    svg('rect', { x: index * legendItemWidth, y: 0, width: 12, height: 12, fill: color }),
    svg('text', { x: index * legendItemWidth + 17, y: 10 }, name),
  ])
  const text =
    note === undefined ? [] : [svg('text', { x: series.length * legendItemWidth, y: 10, fill: '#444444' }, note)]
  return svg('g', { transform: `translate(${margin.left} 14)` }, ...items, ...text)
}
