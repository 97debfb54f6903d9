import {
  type FabricLayout,
  type PlacedMatrix,
  ROW_NAME,
  rowNames,
  type Square,
  squares,
  TITLE,
} from '@cloister/figures'
import { parseIdset, switchName, type Topology } from '@cloister/topology'
import { leafUse, type LeafUse } from '../../run/moment.ts'
import { type Moment, noOwner } from '../../run/questions.ts'
import { freshContext, type Size } from '../drawing/canvas.tsx'
import { type Abgr, css, mix, scaleColor, themeColor } from '../drawing/colors.ts'
import { differenceKinds, differenceOf } from '../gantt/differences.ts'
import { jobColors } from '../gantt/span-colors.ts'
import { partnerOf } from '../state/comparison.ts'
import { faultOf } from '../state/faults.ts'
import { leafLabel } from '../state/node-names.ts'
import type { RunClient } from '../state/run-client.ts'
import { drawnPath } from '../state/shown-routes.ts'
import { colorBy, differences, hoveredJob, selectedJob, shownLink } from '../state/view-state.ts'

/** Height of a switch's name, in CSS pixels. */
const LABEL = 13
/** Share (0 to 1) of the free nodes' colour in the colours of all jobs except the selected or hovered job. */
const FAINT = 0.75

/** Size of the painted part of a square (node or cable), without the gap to the next square, in CSS pixels. */
interface Inside {
  readonly across: number
  readonly down: number
}

type PlacedSquare = Square & { readonly x: number; readonly y: number }

/** Draws the fabric in the state at the cursor: nodes and cables as squares. `run.moment` must have a value. */
export function drawFabric(run: RunClient, canvas: HTMLCanvasElement, size: Size, layout: FabricLayout): void {
  const context = freshContext(canvas, size)
  const side = Math.min(layout.across, layout.down)
  const gap = side >= 5 ? 1 : 0
  const inside = { across: layout.across - gap, down: layout.down - gap }
  const conflicts = conflictSquares(run)
  const reserved = side >= 4 ? reservedSquares(run) : new Set<string>()
  const ownerOf = ownersIn(run)
  const colorOf = colorsOf(run)
  const marks: Array<() => void> = []
  const path = pathOf(run)
  paintSquares(context, run, layout, inside, (square) => {
    const owner = ownerOf(square)
    const isConflict = conflicts.size > 0 && conflicts.has(keyOf(square))
    if (reserved.size > 0 && reserved.has(keyOf(square))) marks.push(() => drawDot(context, square, inside))
    path.place(square, inside)
    if (isShownLink(square)) marks.push(() => drawFrame(context, square, inside))
    if ((isConflict || owner === noOwner.down) && side >= 4)
      marks.push(() => drawCross(context, square, inside, isConflict))
    return isConflict ? themeColor('--conflict') : colorOf(square, owner)
  })
  for (const draw of marks) draw()
  path.draw(context)
  drawTitles(context, run.topology, layout, size.width)
}

/** Paints the squares as pixels of an image: to set the canvas's colour for each square would take far longer. */
function paintSquares(
  context: CanvasRenderingContext2D,
  run: RunClient,
  layout: FabricLayout,
  inside: Inside,
  colorOf: (square: PlacedSquare) => Abgr,
): void {
  const scale = devicePixelRatio
  const { width, height } = context.canvas
  const image = context.createImageData(width, height)
  const pixels = new Uint32Array(image.data.buffer)
  for (const square of squares(run.topology, layout)) {
    const color = colorOf(square)
    const [left, right] = [square.x, square.x + inside.across].map((x) => Math.min(width, Math.round(x * scale)))
    const [top, bottom] = [square.y, square.y + inside.down].map((y) => Math.min(height, Math.round(y * scale)))
    for (let y = top; y < bottom; y++) pixels.fill(color, y * width + left, y * width + right)
  }
  context.putImageData(image, 0, 0)
}

/** Returns a function from a square to its job's number or `noOwner`; for a shared cable, to the used MB/s. */
export function ownersIn(run: RunClient): (square: Square) => number {
  const { nodeOwners, linkOwners } = run.moment.value!
  const capped = isCapped(run)
  const firsts = run.topology.levels.map((_, level) => firstLinkOf(run, level))
  return (square) => {
    if (square.kind === 'node') return nodeOwners[square.node]
    const owner = linkOwners[firsts[square.level] + square.link]
    return capped && owner === 0 ? noOwner.free : owner
  }
}

function colorsOf(run: RunClient): (square: Square, owner: number) => Abgr {
  const chosen = chosenJob(run)
  const capped = isCapped(run)
  const capacity = run.overview.value?.header.policy.link_capacity
  const [free, idle] = ['--free', '--partial-leaf-free-node'].map(themeColor)
  const partialLeafFree = chosen === undefined ? idle : mix(idle, free, FAINT)
  const { partialLeafFree: partialLeafFreeOf } = leafUseOf(run)
  const { leafOfNode } = run.topology
  const colorOf = jobColorsOf(run, (number) => number)
  const differenceColorOf = differenceColors(run)
  return (square, owner) => {
    if (differenceColorOf !== undefined && owner >= 0 && !(capped && square.kind === 'link'))
      return differenceColorOf(square, owner)
    if (square.kind === 'node')
      return owner === noOwner.free && partialLeafFreeOf[leafOfNode[square.node]] > 0 ? partialLeafFree : colorOf(owner)
    if (!capped || owner < 0) return colorOf(owner)
    const color = scaleColor(owner / (capacity ?? owner))
    return chosen === undefined ? color : mix(color, free, FAINT)
  }
}

/** Returns a function to the colour of a held node or link by its difference to the other run; undefined if not wanted. */
function differenceColors(run: RunClient): ((square: Square, owner: number) => Abgr) | undefined {
  const other = differences.value ? partnerOf(run) : undefined
  if (other?.moment.value === undefined) return undefined
  const theirsOf = ownersIn(other)
  const chosen = chosenJob(run)
  const free = themeColor('--free')
  return (square, owner) => {
    const color = themeColor(differenceKinds[differenceOf(run.ids[owner], other.ids[theirsOf(square)])].color)
    return chosen !== undefined && owner !== chosen ? mix(color, free, FAINT) : color
  }
}

/**
 * Returns a function from a node's owner (number of a job, or `noOwner`) to a colour, for nodes too small to tell jobs
 * apart. In colours by job, all held nodes have the same colour, except the nodes of the selected or hovered job.
 */
export function nodeColors(run: RunClient): (owner: number, node: number) => Abgr {
  const held = themeColor('--job')
  const chosen = chosenJob(run)
  const colorOf = jobColorsOf(run, (color, job) => (colorBy.value === 'job' && job !== chosen ? held : color))
  const differenceColorOf = differenceColors(run)
  return (owner, node) =>
    differenceColorOf === undefined || owner < 0 ? colorOf(owner) : differenceColorOf({ kind: 'node', node }, owner)
}

function jobColorsOf(run: RunClient, of: (color: Abgr, job: number) => Abgr): (owner: number) => Abgr {
  const chosen = chosenJob(run)
  const [free, down, unread] = ['--free', '--down', '--strong-line'].map(themeColor)
  const colorOf = jobColors(run, colorBy.value, run.moment.value!.t)
  const known = new Map<number, Abgr>([
    [noOwner.free, free],
    [noOwner.down, down],
    [noOwner.unread, unread],
  ])
  return (owner) => {
    const found = known.get(owner)
    if (found !== undefined) return found
    const own = of(colorOf(owner) ?? unread, owner)
    const color = chosen !== undefined && owner !== chosen ? mix(own, free, FAINT) : own
    known.set(owner, color)
    return color
  }
}

function chosenJob(run: RunClient): number | undefined {
  return run.numbers.get(selectedJob.value ?? '') ?? run.numbers.get(hoveredJob.value ?? '')
}

function drawTitles(context: CanvasRenderingContext2D, topology: Topology, layout: FabricLayout, width: number): void {
  context.textBaseline = 'top'
  context.fillStyle = css(themeColor('--muted'))
  const { blocks } = layout
  const [only] = blocks
  if (blocks.length > 1) for (const { title, x, y } of blocks) context.fillText(title, x, y)
  else
    for (const { title, x } of only.matrices)
      // A title wider than its squares begins further left, so that the edge of the pane does not cut the title off.
      context.fillText(title, Math.min(x, width - context.measureText(title).width), only.y)
  if (!layout.namesRows) return
  const named = rowNames(only)
  context.textBaseline = 'middle'
  context.textAlign = 'right'
  for (const [at, matrix] of only.matrices.entries()) if (named[at]) drawRowNames(context, topology, layout, matrix)
  context.textAlign = 'left'
}

/** Draws the names of switches beside their rows of squares. If rows are low, some names are left out. */
function drawRowNames(
  context: CanvasRenderingContext2D,
  topology: Topology,
  { down, blocks: [{ y }] }: FabricLayout,
  { kind, level, firstSwitch, folds, rows, x }: PlacedMatrix,
): void {
  const every = Math.ceil(LABEL / (down * folds))
  for (let at = 0; at * folds < rows; at += every) {
    const middle = y + TITLE + (at + 0.5) * folds * down
    const sw = firstSwitch + at
    const name = kind === 'nodes' || level === 0 ? leafLabel(topology, sw) : switchName(topology, level, sw)
    context.fillText(name, x - 5, middle, ROW_NAME - 8)
  }
}

function isShownLink(square: Square): boolean {
  return square.kind === 'link' && square.level === shownLink.value?.level && square.link === shownLink.value.link
}

function drawDot(context: CanvasRenderingContext2D, { x, y }: PlacedSquare, { across, down }: Inside): void {
  const dot = Math.min(across, down) < 5 ? 1 : 2
  context.fillStyle = css(themeColor('--ink'))
  context.fillRect(Math.floor(x + (across - dot) / 2), Math.floor(y + (down - dot) / 2), dot, dot)
}

function drawFrame(context: CanvasRenderingContext2D, { x, y }: PlacedSquare, { across, down }: Inside): void {
  context.strokeStyle = css(themeColor('--ink'))
  context.lineWidth = 2
  context.strokeRect(x - 2, y - 2, across + 4, down + 4)
  context.lineWidth = 1
}

function drawCross(
  context: CanvasRenderingContext2D,
  { x, y }: PlacedSquare,
  { across, down }: Inside,
  isConflict: boolean,
): void {
  context.strokeStyle = css(themeColor(isConflict ? '--ink' : '--canvas'))
  context.beginPath()
  context.moveTo(x, y)
  context.lineTo(x + across, y + down)
  context.stroke()
}

/** Collects the places of the drawn path's nodes and cables, and draws the path as a line between these places. */
function pathOf(run: RunClient): {
  readonly place: (square: PlacedSquare, inside: Inside) => void
  readonly draw: (context: CanvasRenderingContext2D) => void
} {
  const path = drawnPath.value?.run === run ? drawnPath.value.path : undefined
  if (path === undefined) return { place: () => {}, draw: () => {} }
  const arrival = path.lost === null ? [`n${path.to}`] : []
  const keys = [`n${path.from}`, ...path.links.map(({ level, link }) => `${level}:${link}`), ...arrival]
  const at = new Map(keys.map((key) => [key, undefined as undefined | { readonly x: number; readonly y: number }]))
  return {
    place: (square, { across, down }) => {
      const key = keyOf(square)
      if (at.has(key)) at.set(key, { x: square.x + across / 2, y: square.y + down / 2 })
    },
    draw: (context) =>
      drawPath(
        context,
        keys.flatMap((key) => at.get(key) ?? []),
      ),
  }
}

/** Draws a line with a light border, which is visible on the colours of all jobs. The first place has a ring. */
export function drawPath(
  context: CanvasRenderingContext2D,
  places: ReadonlyArray<{ readonly x: number; readonly y: number }>,
): void {
  for (const [color, width] of [
    ['--canvas', 5],
    ['--ink', 2],
  ] as const) {
    context.strokeStyle = css(themeColor(color))
    context.fillStyle = css(themeColor(color))
    context.lineWidth = width
    context.lineJoin = 'round'
    context.beginPath()
    for (const { x, y } of places) context.lineTo(x, y)
    context.stroke()
    for (const [index, { x, y }] of places.entries()) {
      context.beginPath()
      context.arc(x, y, index === 0 ? 4 : 1.5 + width / 2, 0, 2 * Math.PI)
      if (index === 0) context.stroke()
      else context.fill()
    }
  }
  context.lineWidth = 1
}

/** Returns true if the fabric draws the cables: the policy allocates links to jobs, or a path is drawn. */
export function drawsLinks(run: RunClient): boolean {
  return givesLinks(run) || drawnPath.value?.run === run
}

/** Returns true if the run's policy allocates links to jobs, owned or capped. */
export function givesLinks(run: RunClient): boolean {
  const links = run.overview.value?.header.policy.claims.links
  return links === 'owned' || links === 'capped'
}

export function isCapped(run: RunClient): boolean {
  return run.overview.value?.header.policy.claims.links === 'capped'
}

function firstLinkOf({ topology: { levels } }: RunClient, level: number): number {
  let first = 0
  for (let below = 0; below < level; below++) first += levels[below].links
  return first
}

const useOf = new WeakMap<Moment, LeafUse>()

/** Returns the held nodes, the nodes down, and the free nodes on partly used leaves, leaf by leaf, at the cursor. */
export function leafUseOf(run: RunClient): LeafUse {
  const moment = run.moment.value!
  const links = isCapped(run) ? undefined : moment.linkOwners.subarray(0, run.topology.levels[0].links)
  const use = useOf.get(moment) ?? leafUse(run.topology, moment.nodeOwners, links)
  useOf.set(moment, use)
  return use
}

function keyOf(square: Square): string {
  return square.kind === 'node' ? `n${square.node}` : `${square.level}:${square.link}`
}

function reservedSquares(run: RunClient): ReadonlySet<string> {
  return new Set((run.moment.value?.reservations ?? []).flatMap((reservation) => keysOf(reservation)))
}

/**
 * Returns the keys of the nodes and links of the log's fault; empty if the cursor is not at the fault. Nodes and links of
 * an inconsistent record that are free are left out.
 */
export function conflictSquares(run: RunClient): ReadonlySet<string> {
  const [fault, moment] = [faultOf(run), run.moment.value]
  // A seal without an effect on the state follows a fault record.
  if (fault === undefined || moment === undefined || moment.seq < fault.seq || moment.seq > fault.seq + 1)
    return new Set()
  const { nodeOwners, linkOwners } = moment
  const isMarked = (owner: number): boolean => fault.failure !== undefined || owner !== noOwner.free
  return new Set([
    ...fault.nodes.filter((node) => isMarked(nodeOwners[node])).map((node) => `n${node}`),
    ...fault.links
      .filter(({ level, link }) => isMarked(linkOwners[firstLinkOf(run, level) + link]))
      .map(({ level, link }) => `${level}:${link}`),
  ])
}

function keysOf({
  nodes,
  links = [],
}: {
  readonly nodes: string
  readonly links?: ReadonlyArray<string>
}): ReadonlyArray<string> {
  return [
    ...Array.from(parseIdset(nodes), (node) => `n${node}`),
    ...links.flatMap((ids, level) => Array.from(parseIdset(ids), (link) => `${level}:${link}`)),
  ]
}
