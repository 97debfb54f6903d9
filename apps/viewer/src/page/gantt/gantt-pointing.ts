import type { HTMLAttributes } from 'preact'
import { GUTTER, ROWS_TOP } from '../drawing/measures.ts'
import type { Frame } from './raster.ts'
import type { RunClient } from '../state/run-client.ts'
import { moveTo, pan, select, showAll, visible, zoomBy } from '../state/session.ts'
import { hoveredJob, rows } from '../state/view-state.ts'

/** Handlers for pointer, wheel and keys on the chart. */
export function pointing(run: RunClient, frame: () => Frame | undefined): HTMLAttributes<HTMLDivElement> {
  let dragFrom: { readonly x: number; readonly y: number } | undefined
  let isDragging = false
  /** Fingers on the chart, by their number: where each is across. */
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
  return {
    onPointerDown: (event) => {
      dragFrom = { x: event.clientX, y: event.clientY }
      // With a second finger a drag becomes a pinch.
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
      pan(((dragFrom.x - event.clientX) / at.now.width) * (at.now.to - at.now.from))
      panRows(run, ((dragFrom.y - event.clientY) / at.now.height) * (at.now.endNode - at.now.firstNode))
      dragFrom = { x: event.clientX, y: event.clientY }
    },
    onPointerUp: (event) => {
      if (dragFrom !== undefined && !isDragging) {
        const at = place(event)
        const job = jobAt(event)
        if (at !== undefined) moveTo(at.t)
        // One can hold a job, or a panel, and move in time.
        if (job !== undefined) select(job, false)
      }
      dragFrom = undefined
      fingers.delete(event.pointerId)
    },
    onPointerCancel: (event) => {
      dragFrom = undefined
      fingers.delete(event.pointerId)
    },
    onPointerLeave: () => {
      hoveredJob.value = undefined
    },
    onDblClick: showAll,
    onWheel: (event) => {
      event.preventDefault()
      const at = place(event)
      if (at === undefined) return
      const factor = 1.0015 ** event.deltaY
      if (event.shiftKey) zoomRows(run, factor, at.node)
      else if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
        pan((event.deltaX / at.now.width) * (at.now.to - at.now.from))
      else zoomBy(factor, at.t)
    },
    onKeyDown: (event) => {
      const { from, to } = visible.value
      const shown = rows.value ?? { from: 0, to: run.topology.nodes }
      const moves: Record<string, () => void> = {
        a: () => pan(-(to - from) / 5),
        d: () => pan((to - from) / 5),
        w: () => panRows(run, -(shown.to - shown.from) / 5),
        s: () => panRows(run, (shown.to - shown.from) / 5),
        W: () => zoomRows(run, 0.5, (shown.from + shown.to) / 2),
        S: () => zoomRows(run, 2, (shown.from + shown.to) / 2),
      }
      moves[event.key]?.()
    },
  }
}

/** How far two fingers are apart across. */
function spread(fingers: ReadonlyMap<number, number>): number {
  const [one, other] = [...fingers.values()]
  return Math.max(8, Math.abs(one - other))
}

function zoomRows(run: RunClient, factor: number, middle: number): void {
  const { nodes } = run.topology
  const shown = rows.value ?? { from: 0, to: nodes }
  const length = Math.max(4, (shown.to - shown.from) * factor)
  if (length >= nodes) {
    rows.value = undefined
    return
  }
  const from = Math.max(
    0,
    Math.min(nodes - length, middle - ((middle - shown.from) / (shown.to - shown.from)) * length),
  )
  rows.value = { from, to: from + length }
}

function panRows(run: RunClient, nodes: number): void {
  const shown = rows.value
  if (shown === undefined) return
  const from = Math.max(0, Math.min(run.topology.nodes - (shown.to - shown.from), shown.from + nodes))
  rows.value = { from, to: from + shown.to - shown.from }
}
