import type { Axis, Figure, Mark, Panel } from './figure.ts'

/** Tick of an axis; the label is empty for a tick between two labelled ticks. */
export interface Tick {
  readonly at: number
  readonly label: string
}

/** Scale of an axis: `log` for positive values only, `symlog` with a linear part from 0 to 1. */
export interface Scale {
  readonly type: 'linear' | 'log' | 'symlog'
  /** Lowest and highest value of the axis, in the unit of the axis. */
  readonly domain: readonly [from: number, to: number]
  readonly ticks: ReadonlyArray<Tick>
  readonly label: string
  /** Returns a coordinate in the unit of the axis: hours or days of relative times, milliseconds of clock times. */
  readonly of: (coordinate: number) => number
}

/** Space for ticks along an axis: the length of the axis, and the least length for a label, in pixels. */
export interface Room {
  readonly length: number
  /** Returns the length along the axis that a label needs, with the gap to the next label. */
  readonly need: (label: string) => number
}

const [MINUTE, HOUR, DAY] = [60, 3600, 86_400]

/** Makes the scale of an axis for the marks of some panels. */
export function scaleOf(axis: Axis, coordinates: Iterable<number>, room: Room): Scale {
  const [from, to] = axis.domain ?? extentOf(axis, coordinates)
  const plain = { label: axis.label, of: (coordinate: number): number => coordinate }
  if (axis.scale === 'time') return timeScale(axis, [from, to], room)
  const format = formatOf(axis)
  if (axis.scale === 'log') {
    const type = from > 0 ? 'log' : 'symlog'
    return { ...plain, type, domain: [from, to], ticks: logTicks(from, to, type === 'log', room, format) }
  }
  const ticks = axis.ticks ?? linearTicks(from, to, room, format)
  return { ...plain, type: 'linear', domain: [from, to], ticks: axis.isHidden === true ? [] : ticks }
}

function extentOf({ scale, hasZero = false }: Axis, coordinates: Iterable<number>): readonly [number, number] {
  let [from, to] = hasZero ? [0, 0] : [Infinity, -Infinity]
  for (const each of coordinates) {
    if (each < from) from = each
    if (each > to) to = each
  }
  if (!Number.isFinite(from)) return [0, 1]
  if (scale === 'log' && from > 0) return from === to ? [from, from * 10] : [from, to]
  if (scale === 'log') return [Math.min(0, from), Math.max(1, to)]
  if (from === to) return hasZero ? [Math.min(0, from), Math.max(1, to)] : [from - 1, to + 1]
  const space = (to - from) * SPACE
  return [from === 0 ? 0 : from - space, to === 0 ? 0 : to + space]
}

/** Space beyond the lowest and the highest mark, as a part of the axis. */
const SPACE = 0.04

function timeScale(axis: Axis, [from, to]: readonly [number, number], room: Room): Scale {
  const { epoch, label } = axis
  if (epoch !== undefined) {
    const of = (t: number): number => (epoch + t) * 1000
    const ticks = clockTicks(epoch + from, epoch + to, room).map(({ at, label: text }) => ({
      at: at * 1000,
      label: text,
    }))
    return {
      type: 'linear',
      domain: [of(from), of(to)],
      ticks,
      label: `${label}, UTC, from ${dateOf(epoch + from)}`,
      of,
    }
  }
  const [unit, name] =
    to - from > 3 * DAY ? [DAY, 'days'] : to - from > 3 * HOUR ? [HOUR, 'hours'] : [MINUTE, 'minutes']
  const ticks = linearTicks(from / unit, to / unit, room, numberText)
  const of = (t: number): number => t / unit
  return { type: 'linear', domain: [of(from), of(to)], ticks, label: `${label}, ${name}`, of }
}

function formatOf({ format }: Axis): (value: number) => string {
  return format === 'share' ? (value) => `${numberText(100 * value)} %` : numberText
}

/** Returns a number with at most six significant digits and separators of thousands. */
function numberText(value: number): string {
  const [whole, fraction] = String(Number(value.toPrecision(6))).split('.')
  if (whole.includes('e')) return whole
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

/** Returns ticks at multiples of 1, 2 or 5 times a power of ten, as many as there is room for, and at most eight. */
function linearTicks(from: number, to: number, { length, need }: Room, format: (at: number) => string): Array<Tick> {
  const span = to - from
  let ticks: Array<Tick> = []
  for (let power = 12; power >= -12; power--)
    for (const times of [5, 2, 1]) {
      const step = Number(`${times}e${power}`)
      if (step > span) continue
      const all: Array<Tick> = []
      const first = Math.ceil(from / step - 1e-9)
      for (let multiple = first; multiple <= Math.floor(to / step + 1e-9) && all.length < 9; multiple++) {
        const at = power < 0 ? Number((multiple * step).toFixed(-power)) : multiple * step
        all.push({ at, label: format(at) })
      }
      const gap = (step / span) * length
      if (all.length > 8) return ticks
      if (all.length > 1 && all.some(({ label }) => need(label) > gap))
        return ticks.length > 1 ? ticks : [all[0], all.at(-1)!]
      ticks = all
    }
  return ticks
}

/** Steps between ticks of clock times, in seconds. */
const CLOCK_STEPS: ReadonlyArray<number> = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 7, 14, 28, 91, 182, 364, 728].map((days) => days * DAY),
]

/** Returns ticks at round clock times, as many as there is room for: times of day, and dates at midnight. */
function clockTicks(from: number, to: number, { length, need }: Room): ReadonlyArray<Tick> {
  const labelOf = (at: number, step: number): string => {
    const date = dateOf(at)
    if (step >= 28 * DAY) return date
    const second = at - Math.floor(at / DAY) * DAY
    if (second === 0) return `${MONTHS[Number(date.slice(5, 7)) - 1]} ${Number(date.slice(8))}`
    return `${twoDigits(Math.floor(second / HOUR))}:${twoDigits(Math.floor((second % HOUR) / MINUTE))}`
  }
  const step =
    CLOCK_STEPS.find((each) => (each / (to - from)) * length >= need(labelOf(DAY + MINUTE, each))) ?? 728 * DAY
  const first = Math.ceil(from / step)
  const count = Math.max(0, Math.floor(to / step) - first + 1)
  return Array.from({ length: count }, (_, at) => (first + at) * step).map((at) => ({ at, label: labelOf(at, step) }))
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Returns the date of a Unix time in seconds, as `2007-03-02`, in the Gregorian calendar. */
function dateOf(time: number): string {
  let days = Math.floor(time / DAY)
  let year = 1970
  const isLeap = (): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  while (days < 0) {
    year--
    days += isLeap() ? 366 : 365
  }
  for (; days >= (isLeap() ? 366 : 365); year++) days -= isLeap() ? 366 : 365
  let month = 0
  const lengths = [31, isLeap() ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  for (; days >= lengths[month]; month++) days -= lengths[month]
  return `${year}-${twoDigits(month + 1)}-${twoDigits(days + 1)}`
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

const POWERS: ReadonlyArray<number> = Array.from({ length: 37 }, (_, at) => Number(`1e${at - 18}`))

/**
 * Returns labelled ticks at powers of ten, and ticks without labels at their multiples. Labels 2 and 5 times a power
 * follow if fewer than three powers lie on the axis. Of labels without room only each second, third, … stays.
 */
function logTicks(
  from: number,
  to: number,
  isLog: boolean,
  { length, need }: Room,
  format: (at: number) => string,
): ReadonlyArray<Tick> {
  const within = (at: number): boolean => at >= from && at <= to
  const powers = POWERS.filter((power) => within(power) && (isLog || power >= 1))
  const all = POWERS.filter((power) => isLog || power >= 1).flatMap((power) =>
    [1, 2, 3, 4, 5, 6, 7, 8, 9].map((times) => Number((times * power).toPrecision(1))).filter(within),
  )
  const chosen = powers.length < 3 ? all.filter((at) => '125'.includes(String(at.toExponential())[0])) : powers
  const candidates = isLog ? chosen : [0, ...chosen]
  const widest = Math.max(1, ...candidates.map((at) => need(format(at))))
  const every = Math.max(1, Math.ceil((candidates.length * widest) / Math.max(1, length)))
  // Counts from the last candidate, because the largest values matter most; 0 always has its label.
  const labelled = candidates.filter((at, place) => at === 0 || (candidates.length - 1 - place) % every === 0)
  return [
    ...labelled.map((at) => ({ at, label: format(at) })),
    ...all.filter((at) => !labelled.includes(at)).map((at) => ({ at, label: '' })),
  ].toSorted((a, b) => a.at - b.at)
}

/** Returns all x (or y) coordinates of marks. */
export function* coordinatesOf(panels: ReadonlyArray<Panel>, axis: 'x' | 'y'): Generator<number, void> {
  for (const { marks } of panels) for (const mark of marks) yield* ofMark(mark, axis)
}

function* ofMark({ rows }: Mark, axis: 'x' | 'y'): Generator<number, void> {
  for (const row of rows) {
    yield row[axis]
    const other = axis === 'x' ? row.x2 : row.y2
    if (other !== undefined) yield other
  }
}

/** Returns all panels with the same y axis as a panel. These panels share one scale. */
export function withSameAxis({ panels }: Figure, { y }: Panel): ReadonlyArray<Panel> {
  return panels.filter((panel) => panel.y.label === y.label && panel.y.field === y.field)
}
