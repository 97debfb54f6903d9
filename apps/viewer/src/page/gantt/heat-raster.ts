import type { Abgr } from '../drawing/colors.ts'
import type { Frame } from './raster.ts'

/** Share of a row's height that shows stranded nodes. */
const STRANDED_PART = 0.3

/** Upper bounds of the bins of stranded shares. Bounds double, because most shares are small. */
export const strandedBounds: ReadonlyArray<number> = [0.01, 0.02, 0.04, 0.08, 0.16]

/** Returns the loudness of a pod's stranded share, from 0 to 1. */
export function strandedLoudness(share: number): number {
  if (!(share > 0)) return 0
  const above = strandedBounds.filter((bound) => share > bound).length
  return (above + 1) / (strandedBounds.length + 1)
}

/**
 * Paints a row for each band of nodes. The upper part shows the held share; the layer below shines through the rest.
 * The lower part shows the stranded share, if it is above 0.
 *
 * @param bands first node of each band, and the end of the last band
 * @param held share of each band in each column, band after band
 * @param stranded share in each column, by band; undefined or NaN if unknown
 * @param colorOf returns the colour of a loudness from 0 to 1
 */
export function paintHeat(
  frame: Frame,
  bands: ReadonlyArray<number>,
  held: Float32Array,
  stranded: ReadonlyArray<Float64Array | undefined>,
  color: Abgr,
  colorOf: (loud: number) => Abgr,
  pixels: Uint32Array,
): void {
  const { width, height, firstNode, endNode } = frame
  const y = (node: number): number =>
    Math.max(0, Math.min(height, Math.round(((node - firstNode) / (endNode - firstNode)) * height)))
  for (let band = 0; band + 1 < bands.length; band++) {
    const [top, bottom] = [y(bands[band]), y(bands[band + 1])]
    const lost = stranded[band]
    const middle = lost === undefined ? bottom : bottom - Math.floor((bottom - top) * STRANDED_PART)
    for (let x = 0; x < width; x++) {
      const share = Math.round(255 * held[band * width + x])
      const above = ((share << 24) | (color & 0xffffff)) >>> 0
      const loud = strandedLoudness(lost?.[x] ?? 0)
      const below = loud > 0 ? colorOf(loud) : above
      for (let row = top; row < bottom; row++) pixels[row * width + x] = row < middle ? above : below
    }
  }
}
