import { useEffect, useRef, useState } from 'preact/hooks'
import type { RefObject } from 'preact'

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

/** Clears a canvas, gives it the screen's resolution, and returns its context with coordinates in CSS pixels. */
export function freshContext(canvas: HTMLCanvasElement, { width, height }: Size): CanvasRenderingContext2D {
  const scale = devicePixelRatio
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale)
    canvas.height = Math.round(height * scale)
  }
  const context = canvas.getContext('2d')!
  context.setTransform(scale, 0, 0, scale, 0, 0)
  context.clearRect(0, 0, width, height)
  return context
}
