import type { Figure, Key } from './figure.ts'
import { rowsAxis, timeAxis } from './over-time.ts'
import type { Extent } from './picture.ts'

/** Used shares of groups of links over time; `groups` has the names of the groups of links. */
export interface LinkHeatOverTime {
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

/** Returns the size of a picture of used links with a row for each group, at most 1,200 pixels high. */
export function linkHeatExtent(width: number, groups: number): Extent {
  return { width, height: Math.min(MOST_HEIGHT, AROUND + ROW * groups) }
}

/** Used shares of links: a row for each group of links, in the colours of `bins`. */
export function linkHeatFigure({ from, to, groups, shares, binOf, bins }: LinkHeatOverTime): Figure {
  const points = shares.length / Math.max(1, groups.length)
  const time = (point: number): number => from + (point / points) * (to - from)
  const boxes = groups.flatMap((_, row) => {
    const found = []
    for (let point = 0; point < points;) {
      const first = point
      const bin = binOf(shares[row * points + first])
      while (point < points && binOf(shares[row * points + point]) === bin) point++
      found.push({ x: time(first), x2: time(point), y: row, y2: row + 1, key: bins[bin].name })
    }
    return found
  })
  const axis = rowsAxis(groups)
  const every = Math.ceil((ROW * groups.length) / (MOST_HEIGHT - AROUND))
  return {
    x: { ...timeAxis(), domain: [from, to] },
    panels: [
      {
        y: { ...axis, ticks: axis.ticks!.filter((_, row) => row % every === 0) },
        marks: [{ shape: 'rect', rows: boxes }],
      },
    ],
    keys: bins,
    keyField: 'share',
    data: groups.flatMap((links, row) =>
      Array.from({ length: points }, (_, point) => ({
        links,
        from: time(point),
        to: time(point + 1),
        share: shares[row * points + point],
      })),
    ),
  }
}
