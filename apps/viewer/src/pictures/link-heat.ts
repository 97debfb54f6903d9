import * as Plot from '@observablehq/plot'
import { LINK_SHARE } from '../run/link-use.ts'
import { draw, type Drawer, type Key, type Picture } from './picture.ts'

/** Used shares of groups of links over time; `groups` has the names of the groups of links. */
interface LinkHeatOverTime {
  /** Begin of the drawn time, in seconds. */
  readonly from: number
  /** End of the drawn time, in seconds. */
  readonly to: number
  readonly groups: ReadonlyArray<string>
  /** Used shares from 0 to 1, in columns of equal length over the drawn time, group after group. */
  readonly shares: ArrayLike<number>
  /** Returns the index of a share's bin in `bins`. */
  readonly binOf: (share: number) => number
  /** Names and colours of the bins of shares. */
  readonly bins: ReadonlyArray<Key>
}

/** Height of a row, and height of the legend and the axis together, in CSS pixels. */
const [ROW, AROUND] = [14, 84]
const MOST_HEIGHT = 1200
/** Estimated width of a letter of a row's name, in CSS pixels. */
const LETTER = 6.4
const DAY = 86_400

/** Draws used shares of links: a row for each group of links, in the colours of `bins`, at most 1,200 pixels high. */
export function drawLinkHeat(document: Drawer, width: number, heat: LinkHeatOverTime): Picture {
  const { from, to, groups, shares, binOf, bins } = heat
  const points = shares.length / Math.max(1, groups.length)
  const time = (point: number): number => from + (point / points) * (to - from)
  const data = groups.flatMap((links, row) =>
    Array.from({ length: points }, (_, point) => ({
      links,
      from: time(point),
      to: time(point + 1),
      share: shares[row * points + point],
    })),
  )
  const boxes: Array<{ readonly row: number; readonly first: number; readonly end: number; readonly bin: number }> = []
  for (let row = 0; row < groups.length; row++)
    for (let point = 0; point < points;) {
      const first = point
      const bin = binOf(shares[row * points + first])
      while (point < points && binOf(shares[row * points + point]) === bin) point++
      boxes.push({ row, first, end: point, bin })
    }
  const height = Math.min(MOST_HEIGHT, AROUND + ROW * groups.length)
  const every = Math.ceil((ROW * groups.length) / (height - AROUND))
  const { unit, label } = to - from > 3 * DAY ? { unit: DAY, label: 'days' } : { unit: 3600, label: 'hours' }
  const svg = draw(document, { width, height }, bins, {
    marginLeft: 16 + LETTER * Math.max(0, ...groups.map(({ length }) => length)),
    x: { label, labelOffset: 38, domain: [from / unit, to / unit] },
    y: {
      label: null,
      domain: [groups.length, 0],
      ticks: groups.map((_, row) => row + 0.5).filter((_, row) => row % every === 0),
      tickFormat: (at: number) => groups[Math.floor(at)],
      tickSize: 0,
    },
    marks: [
      Plot.rect(boxes, {
        x1: ({ first }) => time(first) / unit,
        x2: ({ end }) => time(end) / unit,
        y1: ({ row }) => row,
        y2: ({ row }) => row + 1,
        fill: ({ bin }) => bins[bin].color,
        shapeRendering: 'crispEdges',
      }),
    ],
  })
  return { svg, data }
}

/** Names of the bins of used shares of links. The widths of bins halve towards 0 % and 100 %, which matter most. */
export const shareBins: ReadonlyArray<string> = [
  'none',
  '≤ 6 %',
  '≤ 12.5 %',
  '≤ 25 %',
  '≤ 50 %',
  '≤ 75 %',
  '≤ 87.5 %',
  '≤ 94 %',
  '< 100 %',
  'all',
]

/** Returns the index of the bin of a used share. @param share share in units of 1/10000, from 0 to 10000 */
export function binOf(share: number): number {
  if (share <= 0) return 0
  if (share >= LINK_SHARE) return shareBins.length - 1
  const [used, free] = [share / LINK_SHARE, 1 - share / LINK_SHARE]
  return used <= 0.5 ? Math.max(1, Math.ceil(Math.log2(used)) + 5) : Math.min(8, 3 - Math.floor(Math.log2(free)))
}
