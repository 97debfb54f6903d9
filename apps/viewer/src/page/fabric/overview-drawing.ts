import { freshContext, type Size } from '../drawing/canvas.ts'
import { css, themeColor } from '../drawing/colors.ts'
import type { RunClient } from '../state/run-client.ts'
import { nodeColors } from './fabric-drawing.ts'
import { leafUseOf } from './fabric-owners.ts'
import { type OverviewLayout } from './overview-layout.ts'
import { paintPods } from './overview-raster.ts'

/** Draws every pod at the cursor: left the nodes in the chosen colours, right the free nodes on partly used leaves. */
export function drawOverview(run: RunClient, canvas: HTMLCanvasElement, size: Size, layout: OverviewLayout): void {
  const context = freshContext(canvas, size)
  const { width, height } = canvas
  const image = context.createImageData(width, height)
  const raster = { pixels: new Uint32Array(image.data.buffer), width, height, scale: devicePixelRatio }
  const colors = { none: themeColor('--free'), partialLeafFree: themeColor('--partial-leaf-free') }
  const { nodeOwners } = run.moment.value!
  const colorOf = nodeColors(run)
  paintPods(raster, run.topology, layout, leafUseOf(run), (node) => colorOf(nodeOwners[node]), colors)
  context.putImageData(image, 0, 0)
  context.font = '12px system-ui, sans-serif'
  context.textBaseline = 'top'
  context.fillStyle = css(themeColor('--muted'))
  let row = -1
  for (const { pod, x, y, width: across } of layout.tiles) {
    if (layout.namesAll) context.fillText(`pod ${pod}`, x, y, across)
    // The first pod of each row of pods has a name, unless this name would overlap the name above.
    else if (x === layout.tiles[0].x && (row < 0 || y - row >= 13)) {
      context.fillText(`pod ${pod}`, 0, Math.max(0, y - 1), x - 4)
      row = y
    }
  }
}
