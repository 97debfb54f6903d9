import type uPlot from 'uplot'
import { cursor } from '../state/view-state.ts'

/** Adds a cursor line to a track as a separate element, so that a moved cursor does not draw the track again. */
export function addCursorLine(u: uPlot): void {
  const line = document.createElement('i')
  line.className = 'at'
  u.over.append(line)
  placeCursorLine(u)
}

/** Moves the cursor line of a track to the cursor's time. Hides the line if this time is not visible. */
export function placeCursorLine(u: uPlot): void {
  const line = u.over.querySelector<HTMLElement>('.at')
  if (line === null) return
  const x = u.valToPos(cursor.peek().t, 'x')
  line.hidden = !(x >= 0 && x <= u.bbox.width / devicePixelRatio)
  line.style.transform = `translateX(${x - 1}px)`
}
