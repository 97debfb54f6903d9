import type { HTMLAttributes } from 'preact'
import { GUTTER, ROWS_TOP } from '../drawing/canvas.tsx'
import { rememberPlace } from '../state/address.ts'
import { reveal, revealAll } from '../state/reveal.ts'
import type { RunClient } from '../state/run-client.ts'
import { pan, panRows, select, zoomBy, zoomRows } from '../state/session.ts'
import { area, hoveredJob, type Span, tab } from '../state/view-state.ts'
import type { Frame } from './layers.ts'

/** Returns pointer and wheel handlers of the chart of jobs. @param showBox draws or removes a dragged box */
export function pointing(
  run: RunClient,
  frame: () => Frame | undefined,
  showBox: (box: Box | undefined) => void,
): HTMLAttributes<HTMLDivElement> {
  let dragFrom: { readonly x: number; readonly y: number } | undefined
  let isDragging = false
  /** True if the dragged box becomes the selected area; false if the view zooms to the dragged box. */
  let isMeasuring = false
  /** First corner of a dragged box, in CSS pixels from the chart's corner; undefined if the drag moves the view. */
  let corner: { readonly x: number; readonly y: number } | undefined
  /** Horizontal positions of the fingers on the chart, by pointer id. */
  const fingers = new Map<number, number>()
  const place = (event: MouseEvent): { readonly t: number; readonly node: number; readonly now: Frame } | undefined => {
    const now = frame()
    if (now === undefined) return undefined
    const bounds = (event.currentTarget as HTMLElement).getBoundingClientRect()
    const across = (event.clientX - bounds.left - GUTTER) / now.width
    const down = (event.clientY - bounds.top - ROWS_TOP) / now.height
    return {
      t: now.from + across * (now.to - now.from),
      node: now.firstNode + Math.floor(down * (now.endNode - now.firstNode)),
      now,
    }
  }
  const jobAt = (event: MouseEvent): string | undefined => {
    const at = place(event)
    if (at === undefined || at.node < at.now.firstNode || at.node >= at.now.endNode) return undefined
    const span = run.spanAt(at.t, at.node)
    return span < 0 ? undefined : run.ids[run.spanJobs.at(span)]
  }
  const boxTo = (event: PointerEvent): Box | undefined => {
    const bounds = (event.currentTarget as HTMLElement).getBoundingClientRect()
    return corner && { from: corner, to: { x: event.clientX - bounds.left, y: event.clientY - bounds.top } }
  }
  return {
    onPointerDown: (event) => {
      dragFrom = { x: event.clientX, y: event.clientY }
      const bounds = event.currentTarget.getBoundingClientRect()
      isMeasuring = event.altKey
      corner =
        event.shiftKey || event.altKey ? { x: event.clientX - bounds.left, y: event.clientY - bounds.top } : undefined
      // A second finger turns a drag into a pinch.
      isDragging = fingers.size > 0
      fingers.set(event.pointerId, event.clientX)
      event.currentTarget.setPointerCapture(event.pointerId)
    },
    onPointerMove: (event) => {
      const at = place(event)
      if (at === undefined) return
      if (dragFrom === undefined) {
        hoveredJob.value = jobAt(event)
        return
      }
      if (fingers.size === 2) {
        const before = spread(fingers)
        fingers.set(event.pointerId, event.clientX)
        zoomBy(before / spread(fingers), at.t)
        return
      }
      fingers.set(event.pointerId, event.clientX)
      if (!isDragging && Math.abs(event.clientX - dragFrom.x) + Math.abs(event.clientY - dragFrom.y) < 4) return
      isDragging = true
      if (corner !== undefined) return showBox(boxTo(event))
      pan(((dragFrom.x - event.clientX) / at.now.width) * (at.now.to - at.now.from))
      panRows(run.topology.nodes, ((dragFrom.y - event.clientY) / at.now.height) * (at.now.endNode - at.now.firstNode))
      dragFrom = { x: event.clientX, y: event.clientY }
    },
    onPointerUp: (event) => {
      const box = isDragging && corner !== undefined && boxOf(boxTo(event)!, frame())
      showBox(undefined)
      corner = undefined
      if (box && isMeasuring) measure(box)
      else if (box) reveal({ kind: 'area', ...box })
      if (dragFrom !== undefined && !isDragging) {
        const at = place(event)
        const job = jobAt(event)
        if (at !== undefined) reveal({ kind: 'time', t: at.t })
        // A click on a job does not change the shown panel. A click beside all jobs does not change the selected job.
        if (job !== undefined) select(job, false)
      }
      dragFrom = undefined
      fingers.delete(event.pointerId)
    },
    onPointerCancel: (event) => {
      showBox(undefined)
      corner = undefined
      dragFrom = undefined
      fingers.delete(event.pointerId)
    },
    onPointerLeave: () => {
      hoveredJob.value = undefined
    },
    onDblClick: revealAll,
    onWheel: (event) => {
      event.preventDefault()
      const at = place(event)
      if (at === undefined) return
      const factor = 1.0015 ** event.deltaY
      if (event.shiftKey) zoomRows(run.topology.nodes, factor, at.node)
      else if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
        pan((event.deltaX / at.now.width) * (at.now.to - at.now.from))
      else zoomBy(factor, at.t)
    },
  }
}

function measure(box: { readonly times: Span; readonly nodes: Span }): void {
  rememberPlace()
  area.value = box
  tab.value = 'area'
}

/** Returns the horizontal distance of two fingers in CSS pixels, at least 8. */
function spread(fingers: ReadonlyMap<number, number>): number {
  const [one, other] = [...fingers.values()]
  return Math.max(8, Math.abs(one - other))
}

interface Point {
  readonly x: number
  readonly y: number
}

/** Two opposite corners of a dragged box, in CSS pixels from the chart's upper left corner. */
export interface Box {
  readonly from: Point
  readonly to: Point
}

/** Least width or height of a dragged box, in CSS pixels. A shorter drag is an unsteady click. */
const LEAST = 6

/** Returns a dragged box's times and nodes: all shown nodes for a box below 6 pixels high, undefined below 6 wide. */
export function boxOf(
  { from, to }: Box,
  frame: Frame | undefined,
): { readonly times: Span; readonly nodes: Span } | undefined {
  if (frame === undefined || Math.abs(to.x - from.x) < LEAST) return undefined
  const perPixel = (frame.to - frame.from) / frame.width
  const timeAt = (x: number): number => frame.from + Math.max(0, Math.min(frame.width, x - GUTTER)) * perPixel
  const nodeAt = (y: number): number =>
    frame.firstNode +
    (Math.max(0, Math.min(frame.height, y - ROWS_TOP)) / frame.height) * (frame.endNode - frame.firstNode)
  const [left, right] = [Math.min(from.x, to.x), Math.max(from.x, to.x)]
  const [top, bottom] = [Math.min(from.y, to.y), Math.max(from.y, to.y)]
  const nodes =
    bottom - top < LEAST
      ? { from: frame.firstNode, to: frame.endNode }
      : { from: Math.floor(nodeAt(top)), to: Math.max(Math.floor(nodeAt(top)) + 1, Math.ceil(nodeAt(bottom))) }
  return { times: { from: timeAt(left), to: timeAt(right) }, nodes }
}
