import { noOwner } from '../../run/questions.ts'
import { freshContext, type Size } from '../drawing/canvas.ts'
import { type Abgr, css, jobColor, mix, scaleColor, themeColor } from '../drawing/colors.ts'
import type { RunClient } from '../state/run-client.ts'
import { hoveredJob, selectedJob, shownLink } from '../state/view-state.ts'
import { type FabricLayout, type Square, squares } from './fabric-layout.ts'
import { conflictSquares, firstLinkOf, isCapped, keyOf, reservedSquares } from './fabric-owners.ts'

type PlacedSquare = Square & { readonly x: number; readonly y: number }

/** Draws the state at the cursor, which the run has to have. */
export function drawFabric(run: RunClient, canvas: HTMLCanvasElement, size: Size, layout: FabricLayout): void {
  const context = freshContext(canvas, size)
  const gap = layout.side >= 5 ? 1 : 0
  const inside = layout.side - gap
  const conflicts = conflictSquares(run)
  const reserved = layout.side >= 4 ? reservedSquares(run) : new Set<string>()
  const ownerOf = ownersIn(run)
  const colorOf = colorsOf(run)
  /** What is drawn over squares, of the few that have any. */
  const marks: Array<() => void> = []
  paintSquares(context, run, layout, inside, (square) => {
    const owner = ownerOf(square)
    const isConflict = conflicts.size > 0 && conflicts.has(keyOf(square))
    if (reserved.size > 0 && reserved.has(keyOf(square))) marks.push(() => drawDot(context, square, inside))
    if (isShownLink(square)) marks.push(() => drawFrame(context, square, inside))
    if ((isConflict || owner === noOwner.down) && layout.side >= 4)
      marks.push(() => drawCross(context, square, inside, isConflict))
    return isConflict ? themeColor('--conflict') : colorOf(square, owner)
  })
  for (const draw of marks) draw()
  drawTitles(context, layout)
}

/** By pixels: a thousand squares of a style each would take many times as long. */
function paintSquares(
  context: CanvasRenderingContext2D,
  run: RunClient,
  layout: FabricLayout,
  inside: number,
  colorOf: (square: PlacedSquare) => Abgr,
): void {
  const scale = devicePixelRatio
  const { width, height } = context.canvas
  const image = context.createImageData(width, height)
  const pixels = new Uint32Array(image.data.buffer)
  for (const square of squares(run.topology, layout)) {
    const color = colorOf(square)
    const [left, right] = [square.x, square.x + inside].map((x) => Math.min(width, Math.round(x * scale)))
    const [top, bottom] = [square.y, square.y + inside].map((y) => Math.min(height, Math.round(y * scale)))
    for (let y = top; y < bottom; y++) pixels.fill(color, y * width + left, y * width + right)
  }
  context.putImageData(image, 0, 0)
}

/** Number of the job that holds a square's node or link; of a shared link, the bandwidth in use. */
function ownersIn(run: RunClient): (square: Square) => number {
  const { nodeOwners, linkOwners } = run.moment.value!
  const capped = isCapped(run)
  const firsts = run.topology.levels.map((_, level) => firstLinkOf(run, level))
  return (square) => {
    if (square.kind === 'node') return nodeOwners[square.node]
    const owner = linkOwners[firsts[square.level] + square.link]
    return capped && owner === 0 ? noOwner.free : owner
  }
}

/** The colours of squares by their owners; where a job is chosen, all others are faint. */
function colorsOf(run: RunClient): (square: Square, owner: number) => Abgr {
  const chosen = run.numbers.get(selectedJob.value ?? '') ?? run.numbers.get(hoveredJob.value ?? '')
  const capped = isCapped(run)
  const capacity = run.overview.value?.header.policy.link_capacity
  const [free, down, unread] = ['--free', '--down', '--strong-line'].map(themeColor)
  return (square, owner) => {
    if (owner < 0) return owner === noOwner.down ? down : owner === noOwner.unread ? unread : free
    const isShared = capped && square.kind === 'link'
    const color = isShared ? scaleColor(owner / (capacity ?? owner)) : jobColor(owner)
    return chosen !== undefined && (isShared || owner !== chosen) ? mix(color, free, 0.75) : color
  }
}

function drawTitles(context: CanvasRenderingContext2D, { blocks, side }: FabricLayout): void {
  context.font = '12px system-ui, sans-serif'
  context.textBaseline = 'top'
  context.fillStyle = css(themeColor('--muted'))
  const [only] = blocks
  if (blocks.length > 1) for (const { title, x, y } of blocks) context.fillText(title, x, y)
  else for (const { title, left } of only.matrices) context.fillText(title, only.x + left * side, only.y)
}

function isShownLink(square: Square): boolean {
  return square.kind === 'link' && square.level === shownLink.value?.level && square.link === shownLink.value.link
}

/** Reserved. */
function drawDot(context: CanvasRenderingContext2D, { x, y }: PlacedSquare, inside: number): void {
  const dot = inside < 5 ? 1 : 2
  context.fillStyle = css(themeColor('--ink'))
  context.fillRect(Math.floor(x + (inside - dot) / 2), Math.floor(y + (inside - dot) / 2), dot, dot)
}

/** The cable that was asked for. */
function drawFrame(context: CanvasRenderingContext2D, { x, y }: PlacedSquare, inside: number): void {
  context.strokeStyle = css(themeColor('--ink'))
  context.lineWidth = 2
  context.strokeRect(x - 2, y - 2, inside + 4, inside + 4)
  context.lineWidth = 1
}

/** Down, or given away twice. */
function drawCross(
  context: CanvasRenderingContext2D,
  { x, y }: PlacedSquare,
  inside: number,
  isConflict: boolean,
): void {
  context.strokeStyle = css(themeColor(isConflict ? '--ink' : '--canvas'))
  context.beginPath()
  context.moveTo(x, y)
  context.lineTo(x + inside, y + inside)
  context.stroke()
}
