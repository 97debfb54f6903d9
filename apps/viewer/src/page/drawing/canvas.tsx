import type { ComponentChildren, JSX, RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Side, sides } from '../../run/questions.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

/** Returns a reference for an element, and the element's current size. */
export function useSize<Kind extends HTMLElement>(): readonly [RefObject<Kind | null>, Size] {
  const ref = useRef<Kind>(null)
  const [size, setSize] = useState<Size>({ width: 0, height: 0 })
  useEffect(() => {
    const element = ref.current
    if (element === null) return undefined
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, size]
}

/** Makes a function that requests a drawing. Several requests before the next frame cause one drawing. */
export function oncePerFrame(draw: () => void): () => void {
  let isDue = false
  return () => {
    if (isDue) return
    isDue = true
    requestAnimationFrame(() => {
      isDue = false
      draw()
    })
  }
}

/** Clears a canvas, gives it the screen's resolution and the page's font. Its context has coordinates in CSS pixels. */
export function freshContext(canvas: HTMLCanvasElement, { width, height }: Size): CanvasRenderingContext2D {
  const scale = devicePixelRatio
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale)
    canvas.height = Math.round(height * scale)
  }
  const context = canvas.getContext('2d')!
  context.setTransform(scale, 0, 0, scale, 0, 0)
  context.clearRect(0, 0, width, height)
  context.font = '12px system-ui, sans-serif'
  return context
}

/** Left margin of all views over time, in CSS pixels. The common margin aligns the times of the views. */
export const GUTTER = 88
/** Height of the time axis above the chart of jobs, in CSS pixels. */
export const TIME_AXIS = 20
/** Height of the lane of scheduling passes below the time axis, in CSS pixels. */
export const PASS_LANE = 14
/** Distance from the top of the chart of jobs to its first row, in CSS pixels. */
export const ROWS_TOP = TIME_AXIS + PASS_LANE

/** Text beside the pointer, on the side with more space. @param at pointer's place in `within`, in CSS pixels */
export function Tip({
  at,
  within,
  children,
}: {
  readonly at: { readonly x: number; readonly y: number }
  readonly within: Size
  readonly children: ComponentChildren
}): JSX.Element {
  const style = {
    ...(at.x > within.width / 2 ? { right: `${within.width - at.x + 12}px` } : { left: `${at.x + 12}px` }),
    ...(at.y > within.height / 2 ? { bottom: `${within.height - at.y + 8}px` } : { top: `${at.y + 12}px` }),
  }
  return (
    <div class="tip" aria-hidden="true" style={style}>
      {children}
    </div>
  )
}

/** Line style of a run in views of several runs. */
interface Stroke {
  readonly name: string
  /** Lengths of lines and gaps, in pixels; empty for a solid line. */
  readonly dash: Array<number>
}

const strokes: ReadonlyArray<Stroke> = [
  { name: 'solid', dash: [] },
  { name: 'dashed', dash: [4, 3] },
  { name: 'dotted', dash: [1, 3] },
  { name: 'long dashes', dash: [10, 4] },
  { name: 'dash and dot', dash: [8, 3, 1, 3] },
  { name: 'wide dots', dash: [2, 7] },
  { name: 'wide dashes', dash: [6, 9] },
  { name: 'dash and two dots', dash: [8, 3, 1, 3, 1, 3] },
]

export function strokeOf({ side }: { readonly side: Side }): Stroke {
  return strokes[sides.indexOf(side)]
}
