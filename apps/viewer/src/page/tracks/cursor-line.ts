import type uPlot from 'uplot'
import { cursor } from '../state/view-state.ts'

/** The cursor over a track, an element of its own: where it moves, the track is not drawn anew. */
export function addCursorLine(u: uPlot): void {
  const line = document.createElement('i')
  line.className = 'at'
  u.over.append(line)
  placeCursorLine(u)
}

/** Moves it to where the cursor is, or out of sight where that is not drawn. */
export function placeCursorLine(u: uPlot): void {
  const line = u.over.querySelector<HTMLElement>('.at')
  if (line === null) return
  const x = u.valToPos(cursor.peek().t, 'x')
  line.hidden = !(x >= 0 && x <= u.bbox.width / devicePixelRatio)
  line.style.transform = `translateX(${x - 1}px)`
}
