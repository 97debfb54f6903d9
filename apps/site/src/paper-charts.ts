// Draws the charts of the papers' pages as SVG inside of HTML. Colours are CSS variables, which style.css sets for light
// and dark pages.
import type { RowChart, StoredChart } from '@cloister/reproduce'
import { drawBarsInParts } from '@cloister/figures'
import { parseHTML } from 'linkedom'

const { document } = parseHTML('<!doctype html><html><body></body></html>')

/** Marks of series around the origin. The shapes differ, for readers who do not see the colours. */
const shapes: ReadonlyArray<string> = [
  'M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z',
  'M-4.5 -4.5h9v9h-9z',
  'M0 -6l5.5 10h-11z',
  'M0 -6l6 6l-6 6l-6 -6z',
  'M-6 -2h4v-4h4v4h4v4h-4v4h-4v-4h-4z',
]

/** Width of the text of a page on a small screen, in CSS pixels. No picture is wider, so no reader scrolls to the side. */
const NARROW = 342

/** Returns a chart with its title as HTML: the parts of a chart of bars stand side by side, or below each other. */
export function chartFigure(stored: StoredChart): string {
  if (stored.kind === 'rows') return rowFigure(stored.title, stored.chart)
  const { chart, title } = stored
  const numbers = chart.panels.flatMap(({ groups }) => groups.flatMap(({ bars }) => bars)).length
  const what = `${chart.axis.label}: ${numbers} bars, by ${chart.series.map(({ name }) => name).join(', ')}. The table beside the chart has the values.`
  const drawn = drawBarsInParts(document, chart, NARROW, 'var(--vp-c-bg)')
  const box = (paint: string): string => `<rect x="-6" y="-6" width="12" height="12" ${paint}/>`
  const keys = [
    `<span>↑ ${escaped(chart.axis.label)}</span>`,
    ...chart.series.map(({ name, color }) => key(box(`fill="${colorOf(color)}"`), name)),
    ...(chart.note === undefined ? [] : [key(box('fill="none" stroke="currentColor"'), chart.note)]),
  ]
  return chartOfParts(title, what, keys, drawn)
}

/** Returns a chart whose drawings stand side by side, or below each other, as HTML. @param what description of the chart */
export function chartOfParts(
  title: string,
  what: string,
  keys: ReadonlyArray<string>,
  drawn: ReadonlyArray<string>,
): string {
  const parts = drawn.map((drawing) =>
    drawing
      .trim()
      // Plot's style element only serves pictures outside of a page. The figure has a description, so readers need no
      // names of groups.
      .replace(/<style>[^<]*<\/style>/, '')
      .replaceAll(/ aria-(label|hidden)="[^"]*"/g, '')
      .replaceAll(/"#([0-9a-f]{6})"/g, (_, color: string) => `"${colorOf(`#${color}`)}"`),
  )
  const picture = `<div class="parts" role="img" aria-label="${escaped(`${title}. ${what}`)}">${parts.join('')}</div>`
  return figure(title, keys, picture)
}

/** A row of a chart with a horizontal axis; a row without values and range is a heading. */
type Row = RowChart['rows'][number]

const TOP = 8
const LINE = 20
/** Distance of two lines of a label, in CSS pixels. */
const LEAD = 15
/** Width of a letter of a label, in CSS pixels. */
const LETTER = 6.8
/** Letters of a heading, in bold type, and of a label that fit into a line on a small screen. */
const [HEADING, LABEL] = [46, 50]

/** Divides a text into lines of at most `letters` letters, between words. */
function linesOf(text: string, letters: number): ReadonlyArray<string> {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!
    if (line === '') lines[lines.length - 1] = word
    else if (line.length + 1 + word.length <= letters) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines
}

/** Returns a chart with a row for each label as HTML. The chart becomes as wide as the page, and its text does not grow. */
export function rowFigure(title: string, chart: RowChart & { readonly isLog?: boolean }): string {
  const { axis, rows, series, note } = chart
  const longestLabel = Math.max(...rows.filter(hasMarks).map(({ label }) => label.length))
  const left = [27, 41].find((share) => longestLabel * LETTER <= (share / 100) * NARROW) ?? 6
  const isBeside = left > 6
  const place = (value: number): string => `${(left + (93 - left) * shareOf(chart, value)).toFixed(2)}%`
  let y = TOP
  const drawn = rows.map((row) => {
    const isHeading = !hasMarks(row)
    const lines = linesOf(row.label, isHeading ? HEADING : LABEL)
    const text = lines.map(
      (line, at) => `<text y="${y + 15 + at * LEAD}"${isHeading ? ' class="heading"' : ''}>${escaped(line)}</text>`,
    )
    const below = (lines.length - 1) * LEAD
    y += below + (isHeading ? LINE + 4 : isBeside || row.label === '' ? LINE : 2 * LINE - 2)
    return text.join('') + (isHeading ? '' : marksOf(row, chart, y - LINE / 2, place))
  })
  const ticks = ticksOf(chart, ((93 - left) / 100) * NARROW).map(
    ({ value, text }) =>
      `<line class="grid" x1="${place(value)}" x2="${place(value)}" y1="${TOP}" y2="${y}"/><text x="${place(value)}" y="${y + 16}" text-anchor="middle">${text}</text>`,
  )
  const reference =
    axis.reference === undefined
      ? ''
      : `<line class="reference" x1="${place(axis.reference)}" x2="${place(axis.reference)}" y1="${TOP}" y2="${y}"/>`
  const label = `<text x="100%" y="${y + 34}" text-anchor="end">${escaped(axis.label)}</text>`
  const what = `${axis.label}: ${rows.filter(hasMarks).length} rows. The tables of the page have the values.`
  const size = `width="100%" height="${y + 42}"`
  const keys = series.map(({ name, color }, at) =>
    key(`<path d="${shapes[at % shapes.length]}" fill="${colorOf(color)}"/>`, name),
  )
  const ranges = note === undefined ? [] : [key('<rect class="range" x="-7" y="-4" width="14" height="8"/>', note)]
  return figure(
    title,
    [...ranges, ...keys],
    `<svg role="img" class="rows" ${size}>${described(title, what)}${ticks.join('')}${drawn.join('')}${reference}${label}</svg>`,
  )
}

function hasMarks({ values, range }: Row): boolean {
  return range !== undefined || values.length > 0
}

function marksOf({ label, values, range }: Row, chart: RowChart, y: number, place: (value: number) => string): string {
  const text = (value: number): string => valueText(value, chart.axis)
  const { low, high } = range ?? { low: 0, high: 0 }
  const end = (value: number): string =>
    `<svg x="${place(value)}" y="${y}"><rect class="range" x="-2" y="-8" width="4" height="16"/></svg>`
  const said = `${label}${label === '' ? '' : ', '}${chart.note ?? ''}: ${text(low)}${low === high ? '' : ` to ${text(high)}`}`
  const drawnRange =
    range === undefined
      ? ''
      : `<g><title>${escaped(said)}</title><line class="range" x1="${place(low)}" x2="${place(high)}" y1="${y}" y2="${y}"/>${end(low)}${end(high)}</g>`
  const shifts = shiftsOf(values.map((value) => (value === null ? null : shareOf(chart, value))))
  const marks = values.map((value, at) => {
    if (value === null) return ''
    const { name, color } = chart.series[at]
    return `<svg x="${place(value)}" y="${y + shifts[at]}"><path class="mark" d="${shapes[at % shapes.length]}" fill="${colorOf(color)}"><title>${escaped(`${label}${label === '' ? '' : ', '}${name}: ${text(value)}`)}</title></path></svg>`
  })
  return drawnRange + marks.join('')
}

/** Distance of two marks, as a share of the axis, from which on a reader sees both marks on a small screen. */
const APART = 0.015
/** Height of a row of marks above and below its middle for marks that would cover each other, in CSS pixels. */
const SPREAD = 5

/** Returns how far marks move down from the middle of their row, so that marks with about equal values stay visible. */
export function shiftsOf(shares: ReadonlyArray<number | null>): ReadonlyArray<number> {
  return shares.map((share, at) => {
    if (share === null) return 0
    const near = shares.flatMap((other, i) => (other !== null && Math.abs(other - share) < APART ? [i] : []))
    return near.length === 1 ? 0 : SPREAD * ((2 * near.indexOf(at)) / (near.length - 1) - 1)
  })
}

/** Returns the place of a value on the axis, from 0 to 1; the nearer end for a value outside of the axis. */
function shareOf({ axis, isLog = false }: RowChart & { readonly isLog?: boolean }, value: number): number {
  const scaled = (each: number): number => (isLog ? Math.log10(each) : each)
  const share = (scaled(value) - scaled(axis.from)) / (scaled(axis.to) - scaled(axis.from))
  return Math.min(1, Math.max(0, share))
}

/** @param room width of the axis on a small screen, in pixels: if not all numbers fit, only some ticks have one */
function ticksOf(
  { axis, isLog = false }: RowChart & { readonly isLog?: boolean },
  room: number,
): ReadonlyArray<{ readonly value: number; readonly text: string }> {
  const count = Math.round(isLog ? Math.log10(axis.to / axis.from) : (axis.to - axis.from) / axis.step)
  const ticks = Array.from({ length: count + 1 }, (_, at) => {
    const value = isLog ? axis.from * 10 ** at : axis.from + at * axis.step
    return { value, text: isLog ? value.toLocaleString('en-US', { notation: 'compact' }) : valueText(value, axis) }
  })
  const longest = Math.max(...ticks.map(({ text }) => text.length + 1)) * LETTER
  const each = Math.ceil((longest * count) / room)
  return ticks.map(({ value, text }, at) => ({ value, text: (count - at) % each === 0 ? text : '' }))
}

function valueText(value: number, { unit }: RowChart['axis']): string {
  const [shown, after] = unit === 'share' ? [value * 100, ' %'] : [value, '']
  return shown.toLocaleString('en-US', { maximumFractionDigits: 3 }) + after
}

function figure(title: string, keys: ReadonlyArray<string>, picture: string): string {
  return `<figure class="chart"><figcaption>${escaped(title)}</figcaption><p class="keys">${keys.join(' ')}</p>${picture}</figure>`
}

function described(title: string, what: string): string {
  return `<title>${escaped(title)}</title><desc>${escaped(what)}</desc>`
}

export function key(shape: string, name: string): string {
  return `<span><svg width="16" height="16" viewBox="-8 -8 16 16" aria-hidden="true">${shape}</svg> ${escaped(name)}</span>`
}

/** Returns the CSS colour of a series: a variable if dark pages have another colour. */
function colorOf(color: string): string {
  return `var(--chart-${color.slice(1)}, ${color})`
}

/** Returns text for HTML. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
