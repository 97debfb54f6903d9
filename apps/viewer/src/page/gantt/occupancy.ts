import type { Frame, SpanColumns } from './raster.ts'

/**
 * Returns the held share (0 to 1) of the node-time of each band of nodes in each column of pixels, band after band.
 *
 * @param bands first node of each band, and the end of the last band
 * @param now time in seconds that counts as the end of spans that still run
 */
export function occupancyOf(
  { spans, starts, ends, rangesFrom, ranges }: SpanColumns,
  { from, to, width }: Pick<Frame, 'from' | 'to' | 'width'>,
  bands: ReadonlyArray<number>,
  now: number,
): Float32Array {
  const count = bands.length - 1
  // `changes`: change of a band's held nodes from one column to the next. `parts`: correction of a column for spans
  // that start or end within the column.
  const [parts, changes] = [0, 1].map(() => new Float64Array(count * (width + 1)))
  const column = (t: number): number => Math.max(0, Math.min(width, ((t - from) / (to - from)) * width))
  for (let span = 0; span < spans; span++) {
    const end = Number.isNaN(ends.at(span)) ? now : ends.at(span)
    const [left, right] = [column(starts.at(span)), column(end)]
    if (left >= right) continue
    const [first, last] = [Math.floor(left), Math.floor(right)]
    for (let at = rangesFrom.at(span); at < rangesFrom.at(span + 1); at += 2) {
      const [firstNode, endNode] = [ranges.at(at), ranges.at(at + 1) + 1]
      for (let band = bandOf(bands, firstNode); band < count && bands[band] < endNode; band++) {
        const nodes = Math.min(endNode, bands[band + 1]) - Math.max(firstNode, bands[band])
        const row = band * (width + 1)
        changes[row + first] += nodes
        changes[row + last] -= nodes
        parts[row + first] -= (left - first) * nodes
        parts[row + last] += (right - last) * nodes
      }
    }
  }
  return sharesOf(parts, changes, bands, width)
}

function sharesOf(
  parts: Float64Array,
  changes: Float64Array,
  bands: ReadonlyArray<number>,
  width: number,
): Float32Array {
  const shares = new Float32Array((bands.length - 1) * width)
  for (let band = 0; band + 1 < bands.length; band++) {
    let whole = 0
    for (let x = 0; x < width; x++) {
      const at = band * (width + 1) + x
      whole += changes[at]
      shares[band * width + x] = Math.max(0, Math.min(1, (whole + parts[at]) / (bands[band + 1] - bands[band])))
    }
  }
  return shares
}

/** Returns the band of a node: 0 for a node before all bands, the number of bands for a node behind all bands. */
function bandOf(bands: ReadonlyArray<number>, node: number): number {
  let [low, high] = [0, bands.length - 1]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (bands[middle + 1] <= node) low = middle + 1
    else high = middle
  }
  return low
}
