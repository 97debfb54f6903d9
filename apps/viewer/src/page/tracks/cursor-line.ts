import type uPlot from 'uplot'
import { cursor } from '../state/view-state.ts'

/** Adds a cursor line to a track as a separate element. The cursor then moves without drawing the track again. */
export function addCursorLine(u: uPlot): void {
  const line = document.createElement('i')
  line.className = 'at'
  u.over.append(line)
  placeCursorLine(u)
}

/** Moves the line to the cursor, or hides the line if the cursor is outside the visible times. */
export function placeCursorLine(u: uPlot): void {
  const line = u.over.querySelector<HTMLElement>('.at')
  if (line === null) return
  const x = u.valToPos(cursor.peek().t, 'x')
  line.hidden = !(x >= 0 && x <= u.bbox.width / devicePixelRatio)
  line.style.transform = `translateX(${x - 1}px)`
}
