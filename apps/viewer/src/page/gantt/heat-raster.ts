import type { Abgr } from '../drawing/colors.ts'
import type { Frame } from './raster.ts'

/** Share of the height of a pod's row that shows free nodes on partly used leaves. */
const PARTIAL_LEAF_FREE_PART = 0.3

/** Upper bounds of bins of the share of free nodes on partly used leaves. Bounds double: most shares are small. */
export const partialLeafFreeBounds: ReadonlyArray<number> = [0.01, 0.02, 0.04, 0.08, 0.16]

/** Returns the part (0 to 1) of the warning colour for a share of free nodes on partly used leaves; 0 for NaN. */
export function partialLeafFreeLoudness(share: number): number {
  if (!(share > 0)) return 0
  const above = partialLeafFreeBounds.filter((bound) => share > bound).length
  return (above + 1) / (partialLeafFreeBounds.length + 1)
}

/**
 * Paints a row for each band of nodes. The row's opacity shows the share of held nodes. The lower 30 % of the row show
 * the share of free nodes on partly used leaves, if this share is above 0.
 *
 * @param bands first node of each band, and the end of the last band
 * @param held share of held nodes of each band in each column of pixels, band after band
 * @param partialLeafFree share of free nodes on partly used leaves in each column, by band; undefined or NaN if unknown
 */
export function paintHeat(
  frame: Frame,
  bands: ReadonlyArray<number>,
  held: Float32Array,
  partialLeafFree: ReadonlyArray<Float64Array | undefined>,
  color: Abgr,
  colorOf: (loud: number) => Abgr,
  pixels: Uint32Array,
): void {
  const { width, height, firstNode, endNode } = frame
  const y = (node: number): number =>
    Math.max(0, Math.min(height, Math.round(((node - firstNode) / (endNode - firstNode)) * height)))
  for (let band = 0; band + 1 < bands.length; band++) {
    const [top, bottom] = [y(bands[band]), y(bands[band + 1])]
    const shares = partialLeafFree[band]
    const middle = shares === undefined ? bottom : bottom - Math.floor((bottom - top) * PARTIAL_LEAF_FREE_PART)
    for (let x = 0; x < width; x++) {
      const share = Math.round(255 * held[band * width + x])
      const above = ((share << 24) | (color & 0xffffff)) >>> 0
      const loud = partialLeafFreeLoudness(shares?.[x] ?? 0)
      const below = loud > 0 ? colorOf(loud) : above
      for (let row = top; row < bottom; row++) pixels[row * width + x] = row < middle ? above : below
    }
  }
}
