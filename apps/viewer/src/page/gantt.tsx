import { useComputed, useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { HTMLAttributes, JSX } from 'preact'
import { freshContext, type Size, useSize } from './canvas.tsx'
import { type Abgr, css, isLight, mix, themeColor } from './colors.ts'
import { GUTTER, TIME_AXIS } from './measures.ts'
import { type Frame, paint, paintSpan } from './raster.ts'
import type { RunClient } from './run-client.ts'
import { moveTo, pan, select, visible, whole, zoomBy } from './session.ts'
import { spanColors } from './span-colors.ts'
import { clock, count, ticks } from './times.ts'
import { colorBy, cursor, hoveredJob, rows, selectedJob, side, theme, zoom } from './view-state.ts'

/** Nodes down, time across: what ran where and when. */
export function Gantt({ run, title }: { readonly run: RunClient; readonly title: string | undefined }): JSX.Element {
  const [box, size] = useSize<HTMLDivElement>()
  const picture = useRef<HTMLCanvasElement>(null)
  const marks = useRef<HTMLCanvasElement>(null)
  const sized = useRef(size)
  sized.current = size
  const description = useComputed(() => describe(run))
  const frame = (): Frame | undefined => frameOf(run, sized.current)

  const redraw = (): void => {
    const now = frame()
    if (now !== undefined && picture.current !== null) drawSpans(run, picture.current, sized.current, now)
  }
  const remark = (): void => {
    const now = frame()
    if (now !== undefined && marks.current !== null) drawMarks(run, marks.current, sized.current, now)
  }
  useSignalEffect(() => {
    void [run.version.value, visible.value, rows.value, colorBy.value, selectedJob.value, theme.value]
    redraw()
  })
  useSignalEffect(() => {
    void [run.version.value, visible.value, rows.value, cursor.value, selectedJob.value, hoveredJob.value, run.moment.value, theme.value]
    remark()
  })
  useEffect(() => {
    redraw()
    remark()
  }, [size])

  return (
    <section class="gantt" aria-label={`Jobs by node and time${title === undefined ? '' : `, ${title}`}`} data-active={side.value === run.side} onPointerDownCapture={() => { side.value = run.side }}>
      {title === undefined ? null : <h2>{title}</h2>}
      <div class="canvases" ref={box} {...pointing(run, frame)} tabIndex={0} role="img" aria-label={description} data-testid={`gantt-${run.side}`}>
        <canvas ref={picture} />
        <canvas ref={marks} />
      </div>
    </section>
  )
}

function frameOf(run: RunClient, { width, height }: Size): Frame | undefined {
  if (width <= GUTTER || height <= TIME_AXIS + 1 || run.overview.value === undefined) return undefined
  const { from, to } = visible.value
  const { nodes } = run.topology
  const shown = rows.value ?? { from: 0, to: nodes }
  const firstNode = Math.min(Math.max(0, Math.floor(shown.from)), nodes - 1)
  return { from, to, firstNode, endNode: Math.max(firstNode + 1, Math.min(nodes, Math.ceil(shown.to))), width: width - GUTTER, height: height - TIME_AXIS }
}

function drawSpans(run: RunClient, canvas: HTMLCanvasElement, size: Size, frame: Frame): void {
  const context = freshContext(canvas, size)
  const scale = devicePixelRatio
  const fine = { ...frame, width: Math.round(frame.width * scale), height: Math.round(frame.height * scale) }
  const image = context.createImageData(fine.width, fine.height)
  const pixels = new Uint32Array(image.data.buffer)
  const empty = themeColor('--canvas')
  pixels.fill(empty)
  const colorOf = spanColors(run, colorBy.value)
  const now = run.overview.value!.lastTime
  const job = selectedJob.value === undefined ? undefined : run.numbers.get(selectedJob.value)
  const faded = (span: number): Abgr => mix(colorOf(span), empty, 0.72)
  paint(run, fine, now, job === undefined ? colorOf : faded, pixels)
  if (job !== undefined) for (const span of run.spansOf(job)) paintSpan(run, fine, now, span, colorOf, pixels)
  context.putImageData(image, Math.round(GUTTER * scale), Math.round(TIME_AXIS * scale))
}

function drawMarks(run: RunClient, canvas: HTMLCanvasElement, size: Size, frame: Frame): void {
  const context = freshContext(canvas, size)
  context.font = '11px system-ui, sans-serif'
  const x = (t: number): number => GUTTER + ((t - frame.from) / (frame.to - frame.from)) * frame.width
  const y = (node: number): number => TIME_AXIS + ((node - frame.firstNode) / (frame.endNode - frame.firstNode)) * frame.height
  drawTimes(context, frame, x)
  drawRows(context, run, frame, y)
  context.save()
  context.beginPath()
  context.rect(GUTTER, TIME_AXIS, frame.width, frame.height)
  context.clip()
  drawNames(context, run, frame, x, y)
  for (const job of [hoveredJob.value, selectedJob.value]) if (job !== undefined) outline(context, run, job, x, y)
  drawReservations(context, run, x, y)
  context.restore()
  const at = x(cursor.value.t)
  if (at >= GUTTER - 1 && at <= size.width) {
    context.fillStyle = css(themeColor('--accent'))
    context.fillRect(Math.round(at) - 1, 0, 2, size.height)
  }
}

function drawTimes(context: CanvasRenderingContext2D, { from, to, width, height }: Frame, x: (t: number) => number): void {
  const ink = css(themeColor('--muted'))
  const line = css(themeColor('--line'))
  context.textBaseline = 'middle'
  context.textAlign = 'left'
  for (const t of ticks(from, to, Math.max(2, width / 110))) {
    const at = Math.round(x(t))
    context.fillStyle = line
    context.fillRect(at, 0, 1, TIME_AXIS + height)
    context.fillStyle = ink
    context.fillText(clock(t), at + 4, TIME_AXIS / 2)
  }
}

function drawRows(context: CanvasRenderingContext2D, { topology: { pods, firstLeafOfPod, firstNodeOfLeaf, leaves } }: RunClient, frame: Frame, y: (node: number) => number): void {
  const line = (top: number, left: number, color: string): void => {
    context.fillStyle = css(themeColor(color))
    context.fillRect(left, Math.round(top), GUTTER + frame.width - left, 1)
  }
  const label = (text: string, top: number, bottom: number, left: number): void => {
    const middle = (Math.max(top, TIME_AXIS) + Math.min(bottom, TIME_AXIS + frame.height)) / 2
    if (Math.min(bottom, TIME_AXIS + frame.height) - Math.max(top, TIME_AXIS) < 11) return
    context.fillStyle = css(themeColor('--muted'))
    context.fillText(text, left, middle)
  }
  context.textAlign = 'left'
  const perNode = frame.height / (frame.endNode - frame.firstNode)
  for (let leaf = 0; leaf < leaves; leaf++) {
    const [top, bottom] = [y(firstNodeOfLeaf[leaf]), y(firstNodeOfLeaf[leaf + 1])]
    if (bottom <= TIME_AXIS || top >= TIME_AXIS + frame.height || bottom - top < 12) continue
    line(top, GUTTER - 24, '--line')
    label(`l${leaf}`, top, bottom, GUTTER - 24)
    if (perNode >= 12) for (let node = firstNodeOfLeaf[leaf]; node < firstNodeOfLeaf[leaf + 1]; node++) line(y(node), GUTTER, '--line')
  }
  for (let pod = 0; pod < pods; pod++) {
    const [top, bottom] = [y(firstNodeOfLeaf[firstLeafOfPod[pod]]), y(firstNodeOfLeaf[firstLeafOfPod[pod + 1]])]
    if (bottom <= TIME_AXIS || top >= TIME_AXIS + frame.height) continue
    if (top > TIME_AXIS) line(top, 0, '--strong-line')
    label(`pod ${pod}`, top, bottom, 3)
  }
}

/** Names of jobs where there is room for them. */
function drawNames(context: CanvasRenderingContext2D, run: RunClient, frame: Frame, x: (t: number) => number, y: (node: number) => number): void {
  const colorOf = spanColors(run, colorBy.value)
  const perNode = frame.height / (frame.endNode - frame.firstNode)
  const perSecond = frame.width / (frame.to - frame.from)
  context.textAlign = 'left'
  let drawn = 0
  for (let span = 0; span < run.spans && drawn < 400; span++) {
    const start = run.starts.at(span)
    const end = Number.isNaN(run.ends.at(span)) ? run.overview.value!.lastTime : run.ends.at(span)
    if (start >= frame.to || end <= frame.from || (Math.min(end, frame.to) - Math.max(start, frame.from)) * perSecond < 34) continue
    const id = run.ids[run.spanJobs.at(span)]
    for (let at = run.rangesFrom.at(span); at < run.rangesFrom.at(span + 1); at += 2) {
      const [first, last] = [run.ranges.at(at), run.ranges.at(at + 1)]
      if ((last + 1 - first) * perNode < 12 || last < frame.firstNode || first >= frame.endNode) continue
      const left = Math.max(x(start), GUTTER) + 4
      const room = Math.min(x(end), GUTTER + frame.width) - left - 4
      const text = fit(context, id, room)
      if (text === '') continue
      context.fillStyle = selectedJob.value !== undefined && selectedJob.value !== id ? css(themeColor('--muted')) : isLight(colorOf(span)) ? '#000' : '#fff'
      context.fillText(text, left, (Math.max(y(first), TIME_AXIS) + Math.min(y(last + 1), TIME_AXIS + frame.height)) / 2)
      drawn++
    }
  }
}

function fit(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (text.length * 5 <= room && context.measureText(text).width <= room) return text
  const kept = Math.floor(room / 7) - 1
  return kept < 2 ? '' : `${text.slice(0, kept)}…`
}

function outline(context: CanvasRenderingContext2D, run: RunClient, job: string, x: (t: number) => number, y: (node: number) => number): void {
  const number = run.numbers.get(job)
  if (number === undefined) return
  context.strokeStyle = css(themeColor('--ink'))
  context.lineWidth = 1.5
  for (const span of run.spansOf(number)) {
    const end = Number.isNaN(run.ends.at(span)) ? run.overview.value!.lastTime : run.ends.at(span)
    for (let at = run.rangesFrom.at(span); at < run.rangesFrom.at(span + 1); at += 2) {
      const [left, top] = [x(run.starts.at(span)), y(run.ranges.at(at))]
      // Never thinner than what one can see.
      context.strokeRect(left - 1, top - 1, Math.max(2, x(end) - left) + 2, Math.max(2, y(run.ranges.at(at + 1) + 1) - top) + 2)
    }
  }
}

/** What is reserved at the cursor, from its start on. */
function drawReservations(context: CanvasRenderingContext2D, run: RunClient, x: (t: number) => number, y: (node: number) => number): void {
  context.strokeStyle = css(themeColor('--accent'))
  context.lineWidth = 1.5
  context.setLineDash([5, 3])
  for (const { start, nodes } of run.moment.value?.reservations ?? []) {
    for (const range of nodes.split(',')) {
      const [first, last = first] = range.split('-').map(Number)
      const left = x(start)
      context.strokeRect(left, y(first), 40, Math.max(2, y(last + 1) - y(first)))
    }
  }
  context.setLineDash([])
}

/** What pointer, wheel and keys do to the picture. */
function pointing(run: RunClient, frame: () => Frame | undefined): HTMLAttributes<HTMLDivElement> {
  let dragFrom: { readonly x: number; readonly y: number } | undefined
  let isDragging = false
  const place = (event: MouseEvent): { readonly t: number; readonly node: number; readonly now: Frame } | undefined => {
    const now = frame()
    if (now === undefined) return undefined
    const bounds = (event.currentTarget as HTMLElement).getBoundingClientRect()
    const across = (event.clientX - bounds.left - GUTTER) / now.width
    const down = (event.clientY - bounds.top - TIME_AXIS) / now.height
    return { t: now.from + across * (now.to - now.from), node: now.firstNode + Math.floor(down * (now.endNode - now.firstNode)), now }
  }
  const jobAt = (event: MouseEvent): string | undefined => {
    const at = place(event)
    if (at === undefined || at.node < at.now.firstNode || at.node >= at.now.endNode) return undefined
    const span = run.spanAt(at.t, at.node)
    return span < 0 ? undefined : run.ids[run.spanJobs.at(span)]
  }
  return {
    onPointerDown: (event) => {
      dragFrom = { x: event.clientX, y: event.clientY }
      isDragging = false
      event.currentTarget.setPointerCapture(event.pointerId)
    },
    onPointerMove: (event) => {
      const at = place(event)
      if (at === undefined) return
      if (dragFrom === undefined) {
        hoveredJob.value = jobAt(event)
        return
      }
      if (!isDragging && Math.abs(event.clientX - dragFrom.x) + Math.abs(event.clientY - dragFrom.y) < 4) return
      isDragging = true
      pan(((dragFrom.x - event.clientX) / at.now.width) * (at.now.to - at.now.from))
      panRows(run, ((dragFrom.y - event.clientY) / at.now.height) * (at.now.endNode - at.now.firstNode))
      dragFrom = { x: event.clientX, y: event.clientY }
    },
    onPointerUp: (event) => {
      if (dragFrom !== undefined && !isDragging) {
        const at = place(event)
        if (at !== undefined) moveTo(at.t)
        select(jobAt(event))
      }
      dragFrom = undefined
    },
    onPointerLeave: () => { hoveredJob.value = undefined },
    onDblClick: () => {
      zoom.value = undefined
      rows.value = undefined
    },
    onWheel: (event) => {
      event.preventDefault()
      const at = place(event)
      if (at === undefined) return
      const factor = 1.0015 ** event.deltaY
      if (event.shiftKey) zoomRows(run, factor, at.node)
      else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan((event.deltaX / at.now.width) * (at.now.to - at.now.from))
      else zoomBy(factor, at.t)
    },
    onKeyDown: (event) => {
      const { from, to } = visible.value
      const shown = rows.value ?? { from: 0, to: run.topology.nodes }
      const moves: Record<string, () => void> = {
        a: () => pan(-(to - from) / 5), d: () => pan((to - from) / 5),
        w: () => panRows(run, -(shown.to - shown.from) / 5), s: () => panRows(run, (shown.to - shown.from) / 5),
        W: () => zoomRows(run, 0.5, (shown.from + shown.to) / 2), S: () => zoomRows(run, 2, (shown.from + shown.to) / 2),
      }
      moves[event.key]?.()
    },
  }
}

function zoomRows(run: RunClient, factor: number, middle: number): void {
  const { nodes } = run.topology
  const shown = rows.value ?? { from: 0, to: nodes }
  const length = Math.max(4, (shown.to - shown.from) * factor)
  if (length >= nodes) {
    rows.value = undefined
    return
  }
  const from = Math.max(0, Math.min(nodes - length, middle - ((middle - shown.from) / (shown.to - shown.from)) * length))
  rows.value = { from, to: from + length }
}

function panRows(run: RunClient, nodes: number): void {
  const shown = rows.value
  if (shown === undefined) return
  const from = Math.max(0, Math.min(run.topology.nodes - (shown.to - shown.from), shown.from + nodes))
  rows.value = { from, to: from + shown.to - shown.from }
}

/** The picture in words. */
function describe(run: RunClient): string {
  const moment = run.moment.value
  void run.version.value
  if (moment === undefined) return 'The state at the cursor is being looked up.'
  const chosen = selectedJob.value === undefined ? '' : ` Job ${selectedJob.value} is selected.`
  return `At ${clock(moment.t)} of ${clock(whole.value.to)}: ${count(moment.running.length)} jobs run on ${count(run.topology.nodes - moment.free - moment.down)} of ${count(run.topology.nodes)} nodes, ${count(moment.waiting)} wait.${chosen}`
}
