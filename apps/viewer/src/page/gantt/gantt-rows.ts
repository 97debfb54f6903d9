import { css, themeColor } from '../drawing/colors.ts'
import { GUTTER, PASS_LANE, ROWS_TOP, TIME_AXIS } from '../drawing/measures.ts'
import type { Frame } from './raster.ts'
import type { RunClient } from '../state/run-client.ts'

/** Height of the name of a pod, leaf or node beside the chart, in CSS pixels. */
const LABEL = 12
/** Width of the names of leaves and nodes beside the chart, in CSS pixels. */
const NAME = 42

/** Draws lines and names of the job chart's rows: pods and leaves, or leaves and nodes if nodes are high enough. */
export function drawRows(
  context: CanvasRenderingContext2D,
  run: RunClient,
  frame: Frame,
  y: (node: number) => number,
): void {
  const { nodes, pods, firstLeafOfPod, firstNodeOfLeaf, leaves } = run.topology
  const perNode = frame.height / (frame.endNode - frame.firstNode)
  const namesNodes = perNode >= LABEL
  const row = rowsOf(context, frame)
  for (let leaf = 0; leaf < leaves; leaf++) {
    const [first, end] = [firstNodeOfLeaf[leaf], firstNodeOfLeaf[leaf + 1]]
    if ((end - first) * perNode < LABEL) continue
    row(y(first), y(end), GUTTER - NAME, '--line', `leaf${leaf}`, namesNodes ? 3 : GUTTER - NAME)
    if (namesNodes)
      for (let node = Math.max(first, frame.firstNode); node < Math.min(end, frame.endNode); node++)
        row(y(node), y(node + 1), GUTTER, '--line', String(node), GUTTER - NAME)
  }
  // If pods are lower than a name, only every n-th pod gets a line and a name, so that names do not overlap.
  const every = Math.max(1, Math.ceil(LABEL / ((perNode * nodes) / pods)))
  for (let pod = 0; pod < pods; pod += every) {
    const [top, bottom] = [
      y(firstNodeOfLeaf[firstLeafOfPod[pod]]),
      y(firstNodeOfLeaf[firstLeafOfPod[Math.min(pods, pod + every)]]),
    ]
    row(top, every === 1 ? bottom : top + LABEL, 0, '--strong-line', namesNodes ? '' : `pod ${pod}`, 3)
  }
  context.fillStyle = css(themeColor('--muted'))
  context.fillText('passes', 3, TIME_AXIS + PASS_LANE / 2)
}

function rowsOf(
  context: CanvasRenderingContext2D,
  { width, height }: Frame,
): (top: number, bottom: number, lineFrom: number, color: string, name: string, nameAt: number) => void {
  const end = ROWS_TOP + height
  context.textAlign = 'left'
  return (top, bottom, lineFrom, color, name, nameAt) => {
    if (bottom <= ROWS_TOP || top >= end) return
    context.fillStyle = css(themeColor(color))
    if (top >= ROWS_TOP - 1) context.fillRect(lineFrom, Math.round(top), GUTTER + width - lineFrom, 1)
    const [from, to] = [Math.max(top, ROWS_TOP), Math.min(bottom, end)]
    if (to - from < LABEL - 1) return
    context.fillStyle = css(themeColor('--muted'))
    context.fillText(name, nameAt, (from + to) / 2, NAME - 3)
  }
}
