import { escapeMarkup } from './markup.ts'

/** A value with its interval, named. */
export interface Mark {
  readonly name: string
  readonly mean: number
  /** Half of the interval; null where it is not known. */
  readonly half: number | null
}

export interface IntervalPlot {
  readonly title: string
  readonly marks: ReadonlyArray<Mark>
  readonly format: (value: number) => string
}

const rowHeight = 22
const letterWidth = 6.6
const plotWidth = 420
const top = 34
const bottom = 28

/** A picture of means and intervals, one below the other, as a file of SVG. */
export function plotIntervals({ title, marks, format }: IntervalPlot): string {
  const left = 16 + Math.max(...marks.map(({ name }) => name.length)) * letterWidth
  const width = Math.ceil(left + plotWidth + 40)
  const height = top + marks.length * rowHeight + bottom
  const { low, high } = extent(marks)
  const x = (value: number): string => (left + ((value - low) / (high - low)) * plotWidth).toFixed(1)
  const floor = height - bottom
  const ticks = Array.from({ length: 5 }, (_, at) => low + ((high - low) * at) / 4)
  const grid = ticks.map(
    (tick) =>
      `<path d="M${x(tick)} ${top - 6}V${floor}" stroke="#ddd"/><text x="${x(tick)}" y="${floor + 18}" text-anchor="middle" fill="#555">${escapeMarkup(format(tick))}</text>`,
  )
  const rows = marks.map(({ name, mean, half }, at) => {
    const y = top + at * rowHeight + rowHeight / 2
    const told = `${name}: ${format(mean)}${half === null ? '' : `, ${format(mean - half)} to ${format(mean + half)}`}`
    const whisker =
      half === null
        ? ''
        : `<path d="M${x(mean - half)} ${y}H${x(mean + half)}M${x(mean - half)} ${y - 4}v8M${x(mean + half)} ${y - 4}v8" stroke="#1f5fa8" stroke-width="1.5"/>`
    return `<g><title>${escapeMarkup(told)}</title><text x="${left - 10}" y="${y + 4}" text-anchor="end">${escapeMarkup(name)}</text>${whisker}<circle cx="${x(mean)}" cy="${y}" r="3.5" fill="#1f5fa8"/></g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="Helvetica, Arial, sans-serif" font-size="12" role="img" aria-label="${escapeMarkup(title)}">
<rect width="${width}" height="${height}" fill="white"/>
<text x="16" y="18" font-weight="bold">${escapeMarkup(title)}</text>
${grid.join('\n')}
${rows.join('\n')}
</svg>
`
}

/** From the least to the most that is drawn, with room beside it. */
function extent(marks: ReadonlyArray<Mark>): { readonly low: number; readonly high: number } {
  const low = Math.min(...marks.map(({ mean, half }) => mean - (half ?? 0)))
  const high = Math.max(...marks.map(({ mean, half }) => mean + (half ?? 0)))
  const room = high > low ? (high - low) * 0.05 : Math.max(Math.abs(high), 1) * 0.05
  return { low: low - room, high: high + room }
}
