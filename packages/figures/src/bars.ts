import * as Plot from '@observablehq/plot'
import { draw, type Drawer } from './picture.ts'

/** A bar chart: panels side by side, groups of bars in each panel, and a bar for each series in a group. */
export interface Bars {
  readonly series: ReadonlyArray<{ readonly name: string; readonly color: string }>
  readonly panels: ReadonlyArray<{
    readonly title: string
    readonly groups: ReadonlyArray<{
      readonly name: string
      /** Bars in the order of `series`; null leaves the place of a series empty. */
      readonly bars: ReadonlyArray<{ readonly value: number; readonly outline?: number } | null>
    }>
  }>
  readonly axis: {
    readonly label: string
    readonly from: number
    readonly to: number
    readonly step: number
    readonly unit: 'share' | 'ratio'
    readonly digits: number
    /** Value at which a horizontal line crosses the plot; no line if absent. */
    readonly reference?: number
  }
  /** Text in the legend beside an empty box: the meaning of the empty bars; absent in charts without empty bars. */
  readonly note?: string
}

const BAR = 13
const LETTER = 7
const HEIGHT = 330
/** Height of a part of a chart that has no legend, and width of the part's axis with the margins, in pixels. */
const [PART_HEIGHT, SIDES] = [230, 84]

/**
 * Draws bars: filled up to `value`, empty from there to `outline`. Bars begin at 0, or at the axis' start above 0. A bar
 * that the plot's top cuts shows its value.
 */
export function drawBars(document: Drawer, chart: Bars): string {
  const { series, note, axis } = chart
  const legend = series.reduce((sum, { name }) => sum + 34 + name.length * LETTER, 24 + (note ?? '').length * LETTER)
  return draw(
    document,
    { width: Math.max(legend, widthOf(chart)), height: HEIGHT },
    [...series, ...(note === undefined ? [] : [{ name: note, color: 'currentColor', isEmpty: true }])],
    plotOf(chart, axis.label),
  )
}

/**
 * Draws the bars of `drawBars` as pictures that a page puts side by side or below each other, each with some groups and
 * the same axis. The pictures have no legend and no name of the axis: the page shows both as text.
 *
 * @param width largest width of a picture, in pixels; a picture of a single wide group is wider
 * @param ground colour of the background and of empty bars; text and lines have the colour of the text around the picture
 */
export function drawBarsInParts(document: Drawer, chart: Bars, width: number, ground: string): ReadonlyArray<string> {
  const parts = chart.panels.flatMap((panel) => {
    const room = Math.max(1, Math.floor((width - SIDES - BAR) / (groupSize(chart) * BAR)))
    const size = Math.ceil(panel.groups.length / Math.ceil(panel.groups.length / room))
    return panel.groups.flatMap((_, at) =>
      at % size === 0 ? [{ ...panel, groups: panel.groups.slice(at, at + size) }] : [],
    )
  })
  return parts.map((panel) => {
    const part = { ...chart, panels: [panel] }
    return draw(document, { width: widthOf(part), height: PART_HEIGHT }, [], plotOf(part, null, ground), ground)
  })
}

function widthOf(chart: Bars): number {
  return SIDES + placesOf(chart).places.length * BAR
}

/** @param label name of the vertical axis; null for none */
function plotOf(chart: Bars, label: string | null, ground = 'white'): Plot.PlotOptions {
  const { axis, series } = chart
  const text = (value: number): string =>
    axis.unit === 'share' ? `${(value * 100).toFixed(axis.digits)} %` : value.toFixed(axis.digits)
  const { places, bars, groups, panels } = placesOf(chart)
  const base = Math.max(axis.from, 0)
  const within = (value: number): number => Math.min(Math.max(value, axis.from), axis.to)
  const ticks = Array.from(
    { length: Math.round((axis.to - axis.from) / axis.step) + 1 },
    (_, index) => axis.from + index * axis.step,
  )
  const color = ({ at }: { readonly at: number }): string => series[at].color
  const outlined = bars.flatMap(({ outline, ...bar }) => (outline === undefined ? [] : [{ ...bar, outline }]))
  const beyond = bars.filter(({ value, outline = value }) => Math.max(value, outline) > axis.to)
  return {
    marginTop: label === null && panels.length === 0 ? 12 : 28,
    marginBottom: 28,
    x: { axis: null, domain: places, padding: 0.08 },
    y: { label, domain: [axis.from, axis.to], ticks, tickFormat: text, grid: true },
    marks: [
      Plot.barY(outlined, {
        x: 'place',
        y1: base,
        y2: ({ outline }) => within(outline),
        fill: ground,
        stroke: color,
        title: ({ name, value, outline }) => `${name}: ${text(value)}, ${text(outline)}`,
      }),
      Plot.barY(bars, {
        x: 'place',
        y1: base,
        y2: ({ value }) => within(value),
        fill: color,
        title: ({ name, value }) => `${name}: ${text(value)}`,
      }),
      Plot.text(beyond, {
        x: 'place',
        y: axis.to,
        text: ({ value, outline = value }) => text(Math.max(value, outline)),
        rotate: -90,
        textAnchor: 'end',
        dx: 1,
        fontSize: 10,
        // A halo would hide digits in a narrow bar.
        fill: ({ at, value }) => (value <= axis.to ? 'currentColor' : isDark(series[at].color) ? ground : '#1b1b1f'),
      }),
      ...(axis.reference === undefined ? [] : [Plot.ruleY([axis.reference], { strokeOpacity: 0.7 })]),
      Plot.ruleY([base]),
      Plot.text(groups, { x: 'place', text: 'name', frameAnchor: 'bottom', dy: 16 }),
      Plot.text(panels, { x: 'place', text: 'title', frameAnchor: 'top', dy: -16, fontWeight: 'bold' }),
    ],
  }
}

/** Returns true if white text on a colour such as `#882255` is easier to read than black text. */
function isDark(color: string): boolean {
  // Relative luminance by WCAG 2.2, with the gamma 2: at 0.179, both texts have the same contrast, 4.6.
  const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
  return 0.2126 * r * r + 0.7152 * g * g + 0.0722 * b * b < 0.179
}

interface PlacedBar {
  readonly place: string
  readonly at: number
  readonly name: string
  readonly value: number
  readonly outline: number | undefined
}

/** Returns the number of places of a group: a place for each bar, and the gaps that long names of groups need. */
function groupSize({ panels, series }: Bars): number {
  const longest = Math.max(...panels.flatMap(({ groups }) => groups.map(({ name }) => name.length)))
  return series.length + Math.max(1, Math.ceil((longest * LETTER + 8) / BAR) - series.length)
}

function placesOf(chart: Bars) {
  const { panels: all, series } = chart
  const places: Array<string> = []
  const bars: Array<PlacedBar> = []
  const groups: Array<{ readonly place: string; readonly name: string }> = []
  const panels: Array<{ readonly place: string; readonly title: string }> = []
  const gap = groupSize(chart) - series.length
  const leave = (count: number): void => {
    for (let empty = 0; empty < count; empty++) places.push(`gap ${places.length}`)
  }
  for (const panel of all) {
    const first = places.length
    for (const { name, bars: own } of panel.groups) {
      const begin = places.length
      leave(Math.floor(gap / 2))
      own.forEach((bar, at) => {
        const place = `bar ${places.length}`
        places.push(place)
        if (bar !== null) bars.push({ place, at, name: series[at].name, value: bar.value, outline: bar.outline })
      })
      leave(gap - Math.floor(gap / 2))
      groups.push({ place: places[Math.floor((begin + places.length - 1) / 2)], name })
    }
    if (panel.title !== '')
      panels.push({ place: places[Math.floor((first + places.length - 1) / 2)], title: panel.title })
    leave(1)
  }
  return { places, bars, groups, panels }
}
