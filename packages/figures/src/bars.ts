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

/**
 * Draws bars: filled up to `value`, empty from there to `outline`. Bars begin at 0, or at the axis' start above 0. A bar
 * that the plot's top cuts shows its value.
 *
 * @param ground colour of the background and of empty bars; default: white. If given, text and lines have the colour of
 *   the text around the picture
 */
export function drawBars(document: Drawer, chart: Bars, ground?: string): string {
  const { axis, series } = chart
  const text = (value: number): string =>
    axis.unit === 'share' ? `${(value * 100).toFixed(axis.digits)} %` : value.toFixed(axis.digits)
  const { places, bars, groups, panels } = placesOf(chart)
  const base = Math.max(axis.from, 0)
  const within = (value: number): number => Math.min(Math.max(value, axis.from), axis.to)
  const legend = series.reduce(
    (sum, { name }) => sum + 34 + name.length * LETTER,
    24 + (chart.note ?? '').length * LETTER,
  )
  const ticks = Array.from(
    { length: Math.round((axis.to - axis.from) / axis.step) + 1 },
    (_, index) => axis.from + index * axis.step,
  )
  const color = ({ at }: { readonly at: number }): string => series[at].color
  const outlined = bars.flatMap(({ outline, ...bar }) => (outline === undefined ? [] : [{ ...bar, outline }]))
  const beyond = bars.filter(({ value, outline = value }) => Math.max(value, outline) > axis.to)
  return draw(
    document,
    { width: Math.max(legend, 84 + places.length * BAR), height: HEIGHT },
    [...series, ...(chart.note === undefined ? [] : [{ name: chart.note, color: 'currentColor', isEmpty: true }])],
    {
      marginTop: 28,
      marginBottom: 28,
      x: { axis: null, domain: places, padding: 0.08 },
      y: { label: axis.label, domain: [axis.from, axis.to], ticks, tickFormat: text, grid: true },
      marks: [
        Plot.barY(outlined, {
          x: 'place',
          y1: base,
          y2: ({ outline }) => within(outline),
          fill: ground ?? 'white',
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
          fill: ({ at, value }) =>
            value <= axis.to ? 'currentColor' : isDark(series[at].color) ? (ground ?? 'white') : '#1b1b1f',
        }),
        ...(axis.reference === undefined ? [] : [Plot.ruleY([axis.reference], { strokeOpacity: 0.7 })]),
        Plot.ruleY([base]),
        Plot.text(groups, { x: 'place', text: 'name', frameAnchor: 'bottom', dy: 16 }),
        Plot.text(panels, { x: 'place', text: 'title', frameAnchor: 'top', dy: -16, fontWeight: 'bold' }),
      ],
    },
    ground,
  )
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

function placesOf({ panels: all, series }: Bars) {
  const places: Array<string> = []
  const bars: Array<PlacedBar> = []
  const groups: Array<{ readonly place: string; readonly name: string }> = []
  const panels: Array<{ readonly place: string; readonly title: string }> = []
  const longest = Math.max(...all.flatMap((panel) => panel.groups.map(({ name }) => name.length)))
  const gap = Math.max(1, Math.ceil((longest * LETTER + 8) / BAR) - series.length)
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
