import { switchOfLink } from '@cloister/topology'
import { shortened, ticks } from '../../words.ts'
import { freshContext, GUTTER, PASS_LANE, ROWS_TOP, type Size, TIME_AXIS } from '../drawing/canvas.tsx'
import { type Abgr, css, isLight, mix, themeColor } from '../drawing/colors.ts'
import { partnerOf, scaledRuns } from '../state/comparison.ts'
import { faultOf } from '../state/faults.ts'
import { leafLabel } from '../state/node-names.ts'
import type { RunClient } from '../state/run-client.ts'
import { clockAtStart, timeText, visible } from '../state/session.ts'
import { area, colorBy, cursor, differences, hoveredJob, pins, rows, selectedJob } from '../state/view-state.ts'
import { paintDifferences } from './differences.ts'
import { drawHeat, hasHeat, heatShown } from './heat.ts'
import { drawPasses, type Frame, paint, paintOutages, paintSpan } from './layers.ts'
import type { Box } from './pointing.ts'
import { spanColors } from './span-colors.ts'

/** Width of a drawn reservation whose job has no estimate, in CSS pixels. */
const RESERVED = 40
/** Least width and height of a job that is drawn as a bar, in CSS pixels. Smaller jobs have no border. */
const BAR = 3
/** Share of the background in the colours of unmarked jobs while a job is selected or pinned, from 0 to 1. */
const FADED = 0.72
/** Least width of a job with a drawn name, in CSS pixels. */
const NAMED_FROM = 34

/** Returns a job chart's visible times and nodes; undefined if the pane is too small or the run has no overview. */
export function frameOf(run: RunClient, { width, height }: Size): Frame | undefined {
  if (width <= GUTTER || height <= ROWS_TOP + 1 || run.overview.value === undefined) return undefined
  const { from, to } = visible.value
  const { nodes } = run.topology
  const most = Math.max(nodes, ...scaledRuns.value.map(({ topology }) => topology.nodes))
  const shown = rows.value ?? { from: 0, to: most }
  const firstNode = Math.min(Math.max(0, Math.floor(shown.from)), nodes - 1)
  const end = Math.max(firstNode + 1, Math.min(most, Math.ceil(shown.to)))
  const endNode = Math.min(nodes, end)
  // A node has the same height in the charts of all runs, so the chart of a smaller machine is lower.
  const share = (endNode - firstNode) / (end - firstNode)
  return { from, to, firstNode, endNode, width: width - GUTTER, height: (height - ROWS_TOP) * share }
}

/** Draws the layer of jobs, outages and scheduling passes: slow to draw, but the cursor does not change the layer. */
export function drawSpans(run: RunClient, canvas: HTMLCanvasElement, size: Size, frame: Frame): void {
  const context = freshContext(canvas, size)
  const scale = devicePixelRatio
  const fine = { ...frame, width: Math.round(frame.width * scale), height: Math.round(frame.height * scale) }
  const image = context.createImageData(fine.width, fine.height)
  const pixels = new Uint32Array(image.data.buffer)
  const empty = themeColor('--canvas')
  const colorOf = spanColors(run, colorBy.value)
  const now = run.overview.value!.lastTime
  const marked = marks(run)
  const fadedIf = (color: Abgr): Abgr => (marked.length === 0 ? color : mix(color, empty, FADED))
  const quiet = fadedIf(themeColor('--job'))
  const isHeat = hasHeat(run, frame)
  heatShown.value = isHeat
  const partner = differences.value ? partnerOf(run) : undefined
  if (partner?.overview.value !== undefined) paintDifferences(run, partner, { fine, scale, isHeat }, pixels)
  else if (isHeat)
    drawHeat(
      run,
      fine,
      scale,
      now,
      { held: quiet, partialLeafFree: fadedIf(themeColor('--partial-leaf-free')) },
      pixels,
    )
  paintOutages(run.outages, fine, now, themeColor('--down'), pixels)
  if (!isHeat && partner === undefined)
    paint(run, fine, now, (span) => fadedIf(colorOf(span)), pixels, {
      least: BAR * scale,
      borderOf: (color) => mix(color, empty, 0.5),
      // Jobs below the size of a bar cannot be told apart by colour, so in colours by job these jobs are grey.
      small: colorBy.value === 'job' ? quiet : undefined,
    })
  for (const job of marked) for (const span of run.spansOf(job)) paintSpan(run, fine, now, span, colorOf, pixels)
  context.putImageData(image, Math.round(GUTTER * scale), Math.round(ROWS_TOP * scale))
  drawPasses(context, run, frame)
}

function marks(run: RunClient): ReadonlyArray<number> {
  const names = new Set([...pins.value, ...(selectedJob.value === undefined ? [] : [selectedJob.value])])
  return [...names].flatMap((name) => run.numbers.get(name) ?? [])
}

/** Draws the layer above the jobs: times, rows, names of jobs, outlines, reservations, selected area and cursor. */
export function drawMarks(
  run: RunClient,
  canvas: HTMLCanvasElement,
  size: Size,
  frame: Frame,
  box: Box | undefined,
): void {
  const context = freshContext(canvas, size)
  const x = (t: number): number => GUTTER + ((t - frame.from) / (frame.to - frame.from)) * frame.width
  const y = (node: number): number =>
    ROWS_TOP + ((node - frame.firstNode) / (frame.endNode - frame.firstNode)) * frame.height
  drawTimes(context, frame, x, scaledRuns.value.length < 2)
  drawRows(context, run, frame, y)
  context.save()
  context.beginPath()
  context.rect(GUTTER, ROWS_TOP, frame.width, frame.height)
  context.clip()
  // If pods are drawn as heat, only marked jobs are visible, and no job has a name. Differences show no single jobs.
  if (!hasHeat(run, frame) && !differences.value) drawNames(context, run, frame, x, y)
  for (const job of [...pins.value, hoveredJob.value, selectedJob.value])
    if (job !== undefined) outline(context, run, job, x, y)
  drawReservations(context, run, x, y)
  drawFault(context, run, frame, x, y)
  if (area.value !== undefined) {
    const { times, nodes } = area.value
    drawBox(context, { from: { x: x(times.from), y: y(nodes.from) }, to: { x: x(times.to), y: y(nodes.to) } })
  }
  if (box !== undefined) drawBox(context, box)
  context.restore()
  const at = x(cursor.value.t)
  if (at >= GUTTER - 1 && at <= size.width) {
    context.fillStyle = css(themeColor('--accent'))
    context.fillRect(Math.round(at) - 1, 0, 2, size.height)
  }
}

function drawBox(context: CanvasRenderingContext2D, { from, to }: Box): void {
  const accent = css(themeColor('--accent'))
  context.fillStyle = accent.replace(')', ' / 18%)')
  context.fillRect(from.x, from.y, to.x - from.x, to.y - from.y)
  context.strokeStyle = accent
  context.strokeRect(from.x, from.y, to.x - from.x, to.y - from.y)
}

/** Draws the common time axis of several charts of jobs. */
export function drawTimeAxis(canvas: HTMLCanvasElement, size: Size): void {
  const { from, to } = visible.value
  const width = size.width - GUTTER
  const frame = { from, to, firstNode: 0, endNode: 1, width, height: size.height - ROWS_TOP }
  drawTimes(freshContext(canvas, size), frame, (t) => GUTTER + ((t - from) / (to - from)) * width, true)
}

function drawTimes(
  context: CanvasRenderingContext2D,
  { from, to, width, height }: Frame,
  x: (t: number) => number,
  isNamed: boolean,
): void {
  const ink = css(themeColor('--muted'))
  const line = css(themeColor('--line'))
  context.textBaseline = 'middle'
  context.textAlign = 'left'
  const zero = clockAtStart()
  // Calendar times are longer than times since the start of the run.
  const distance = zero === 0 ? 110 : 150
  let free = 0
  for (const t of ticks(from, to, Math.max(2, width / distance), zero)) {
    const at = Math.round(x(t))
    context.fillStyle = line
    context.fillRect(at, 0, 1, ROWS_TOP + height)
    if (!isNamed) continue
    const text = timeText(t)
    const end = at + 4 + context.measureText(text).width
    // A time that the right edge or the time before would cut off is not drawn, because it would be misread.
    if (end > GUTTER + width || at < free) continue
    free = end + 4
    context.fillStyle = ink
    context.fillText(text, at + 4, TIME_AXIS / 2)
  }
}

function drawNames(
  context: CanvasRenderingContext2D,
  run: RunClient,
  frame: Frame,
  x: (t: number) => number,
  y: (node: number) => number,
): void {
  const colorOf = spanColors(run, colorBy.value)
  context.textAlign = 'left'
  let drawn = 0
  for (const span of wideSpans(run, frame)) {
    if (drawn >= 400) break
    const start = run.starts.at(span)
    const end = Number.isNaN(run.ends.at(span)) ? run.overview.value!.lastTime : run.ends.at(span)
    const id = run.ids[run.spanJobs.at(span)]
    for (let at = run.rangesFrom.at(span); at < run.rangesFrom.at(span + 1); at += 2) {
      const [first, last] = [run.ranges.at(at), run.ranges.at(at + 1)]
      const [top, bottom] = [Math.max(y(first), ROWS_TOP), Math.min(y(last + 1), ROWS_TOP + frame.height)]
      if (bottom - top < 12) continue
      const left = Math.max(x(start), GUTTER) + 4
      const space = Math.min(x(end), GUTTER + frame.width) - left - 4
      const text = fit(context, id, space)
      if (text === '') continue
      context.fillStyle = isFaded(id) ? css(themeColor('--muted')) : isLight(colorOf(span)) ? '#000' : '#fff'
      context.fillText(text, left, (top + bottom) / 2)
      drawn++
    }
  }
}

/** Cache of the spans wide enough for a name. Without the cache, every move of the cursor would visit all spans. */
const wideOf = new WeakMap<RunClient, { readonly frame: string; readonly spans: ReadonlyArray<number> }>()

function wideSpans(run: RunClient, { from, to, width }: Frame): ReadonlyArray<number> {
  const { lastTime } = run.overview.value!
  const frame = [run.version.value, from, to, width, lastTime].join()
  const known = wideOf.get(run)
  if (known?.frame === frame) return known.spans
  const spans: Array<number> = []
  for (let span = 0; span < run.spans; span++) {
    const start = Math.max(run.starts.at(span), from)
    const end = Number.isNaN(run.ends.at(span)) ? lastTime : run.ends.at(span)
    if (((Math.min(end, to) - start) / (to - from)) * width >= NAMED_FROM) spans.push(span)
  }
  wideOf.set(run, { frame, spans })
  return spans
}

function isFaded(job: string): boolean {
  return (
    (selectedJob.value !== undefined || pins.value.length > 0) && selectedJob.value !== job && !pins.value.includes(job)
  )
}

/** Returns the text if it fits, else its first 14 characters with an ellipsis, else an empty text. */
function fit(context: CanvasRenderingContext2D, text: string, space: number): string {
  const fits = (each: string): boolean => each.length * 5 <= space && context.measureText(each).width <= space
  if (fits(text)) return text
  const start = shortened(text)
  return start !== text && fits(start) ? start : ''
}

function outline(
  context: CanvasRenderingContext2D,
  run: RunClient,
  job: string,
  x: (t: number) => number,
  y: (node: number) => number,
): void {
  const number = run.numbers.get(job)
  if (number === undefined) return
  context.strokeStyle = css(themeColor('--ink'))
  context.lineWidth = 1.5
  for (const span of run.spansOf(number)) {
    const end = Number.isNaN(run.ends.at(span)) ? run.overview.value!.lastTime : run.ends.at(span)
    const left = x(run.starts.at(span))
    for (const [top, bottom] of piecesOf(run, span, y))
      // A least width and height of 2 pixels keeps the outline of a small job visible.
      context.strokeRect(left - 1, top - 1, Math.max(2, x(end) - left) + 2, Math.max(2, bottom - top) + 2)
  }
}

/** Least distance of two pieces of a job with an outline each, in CSS pixels: nearer outlines would form a dark block. */
const PIECES_APART = 5

/** Returns top and bottom of the pieces of a span. Pieces that lie close together are one piece. */
function piecesOf(
  run: RunClient,
  span: number,
  y: (node: number) => number,
): ReadonlyArray<readonly [top: number, bottom: number]> {
  const pieces: Array<[number, number]> = []
  for (let at = run.rangesFrom.at(span); at < run.rangesFrom.at(span + 1); at += 2) {
    const [top, bottom] = [y(run.ranges.at(at)), y(run.ranges.at(at + 1) + 1)]
    const last = pieces.at(-1)
    if (last !== undefined && top - last[1] < PIECES_APART) last[1] = bottom
    else pieces.push([top, bottom])
  }
  return pieces
}

function drawReservations(
  context: CanvasRenderingContext2D,
  run: RunClient,
  x: (t: number) => number,
  y: (node: number) => number,
): void {
  context.strokeStyle = css(themeColor('--accent'))
  context.lineWidth = 1.5
  context.setLineDash([5, 3])
  context.fillStyle = css(themeColor('--accent'))
  const estimates = new Map(run.moment.value?.queue.map(({ job, estimate }) => [job, estimate]))
  for (const { job, start, nodes } of run.moment.value?.reservations ?? []) {
    const estimate = estimates.get(job)
    const width = typeof estimate === 'number' ? Math.max(3, x(start + estimate) - x(start)) : RESERVED
    for (const range of nodes.split(',')) {
      const [first, last = first] = range.split('-').map(Number)
      const [left, top] = [x(start), y(first)]
      const height = y(last + 1) - top
      // A dashed box lower than 6 pixels would be no clear box, so such a reservation is a filled bar.
      if (height >= 6) context.strokeRect(left, top, width, height)
      else context.fillRect(left, top, Math.min(width, RESERVED / 4), Math.max(1, height - 1))
    }
  }
  context.setLineDash([])
}

/** Size of the mark of a node at a fault, in CSS pixels. */
const FAULT_MARK = { width: 9, height: 4 }

/** Draws a line at the time of the log's fault, and marks the nodes, and the leaves of the links, of the fault. */
function drawFault(
  context: CanvasRenderingContext2D,
  run: RunClient,
  { height }: Frame,
  x: (t: number) => number,
  y: (node: number) => number,
): void {
  const fault = faultOf(run)
  if (fault === undefined) return
  const { firstNodeOfLeaf } = run.topology
  const at = Math.round(x(fault.t))
  context.fillStyle = css(themeColor('--conflict'))
  context.fillRect(at - 1, ROWS_TOP, 2, height)
  const leaves = fault.links.flatMap(({ level, link }) =>
    level === 0 ? [switchOfLink(run.topology, level, link)] : [],
  )
  for (const [first, end] of [
    ...fault.nodes.map((node) => [node, node + 1] as const),
    ...leaves.map((leaf) => [firstNodeOfLeaf[leaf], firstNodeOfLeaf[leaf + 1]] as const),
  ]) {
    const tall = Math.max(FAULT_MARK.height, y(end) - y(first))
    context.fillRect(at - FAULT_MARK.width, y(first), 2 * FAULT_MARK.width, tall)
  }
}

/** Height of the name of a pod, leaf or node beside the chart, in CSS pixels. */
const LABEL = 14
/** Width of the names of leaves and nodes beside the chart, in CSS pixels. */
const NAME = 42

/** Draws lines and names of the job chart's rows: pods and leaves, or leaves and nodes if nodes are high enough. */
function drawRows(context: CanvasRenderingContext2D, run: RunClient, frame: Frame, y: (node: number) => number): void {
  const { nodes, pods, firstLeafOfPod, firstNodeOfLeaf, leaves, nodeNames } = run.topology
  const perNode = frame.height / (frame.endNode - frame.firstNode)
  const namesNodes = perNode >= LABEL
  const row = rowsOf(context, frame)
  for (let leaf = 0; leaf < leaves; leaf++) {
    const [first, end] = [firstNodeOfLeaf[leaf], firstNodeOfLeaf[leaf + 1]]
    if ((end - first) * perNode < LABEL) continue
    row(y(first), y(end), GUTTER - NAME, '--line', leafLabel(run.topology, leaf), namesNodes ? 3 : GUTTER - NAME)
    if (namesNodes)
      for (let node = Math.max(first, frame.firstNode); node < Math.min(end, frame.endNode); node++)
        row(y(node), y(node + 1), GUTTER, '--line', nodeNames?.[node] ?? String(node), GUTTER - NAME)
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
