import { type Signal, useSignal, useSignalEffect } from '@preact/signals'
import type { HTMLAttributes, JSX, RefObject, TargetedMouseEvent } from 'preact'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { freshContext, GUTTER, oncePerFrame, type Size, useSize } from '../drawing/canvas.tsx'
import { SaveButtons } from '../drawing/save.tsx'
import type { TimeScale, Track } from '../extensions.ts'
import { reveal } from '../state/reveal.ts'
import { visible } from '../state/session.ts'
import { cursor, type Span, theme, zoom } from '../state/view-state.ts'

/** Least width of a drag that zooms, in CSS pixels. A shorter drag is an unsteady click. */
const LEAST_DRAG = 4

/** Place in a canvas, in CSS pixels from the upper left corner. */
interface Point {
  readonly x: number
  readonly y: number
}

/** The parts of a shown track: its canvas, and for its caption the legend, the pointer's tip and the save buttons. */
interface TrackParts {
  readonly canvas: JSX.Element
  readonly legend: JSX.Element | null
  readonly tip: JSX.Element | null
  readonly saveButtons: JSX.Element | null
}

/** Keeps the canvas of a track drawn, and returns the parts of the track. @param isHidden true for a folded track */
export function useTrack(track: Track, style: string, isHidden: boolean = false): TrackParts {
  const [box, size] = useSize<HTMLDivElement>()
  const data = track.useData(size.width)
  const canvas = useRef<HTMLCanvasElement>(null)
  const pointer = useSignal<Point | undefined>(undefined)
  const drag = useSignal<Span | undefined>(undefined)
  const hasZoomed = useRef(false)
  const isDrawn = data !== undefined && size.width > GUTTER && size.height > 0
  const draw = (): void => {
    if (canvas.current !== null && isDrawn)
      track.draw?.(freshContext(canvas.current, size), scaleOf(visible.peek(), size), data)
  }
  const latest = useRef(draw)
  latest.current = draw
  const redraw = useMemo(() => oncePerFrame(() => latest.current()), [])
  useLayoutEffect(draw, [data, size])
  useSignalEffect(() => {
    void [visible.value, theme.value]
    redraw()
  })
  const Legend = track.legend
  return {
    canvas: (
      <div
        class={style}
        style={{ '--height': `${track.height}px` }}
        ref={box}
        hidden={isHidden}
        {...(track.describe === undefined ? {} : { role: 'img', 'aria-label': track.describe(data) })}
        {...(track.style === undefined ? {} : { 'data-testid': track.style })}
        {...pointing(
          pointer,
          drag,
          hasZoomed,
          size,
          (x, y) => data !== undefined && track.click?.(data, scaleOf(visible.peek(), size), x, y) === true,
        )}
      >
        {isDrawn ? <canvas ref={canvas} /> : null}
        {isDrawn ? <Lines size={size} pointer={pointer} drag={drag} /> : null}
      </div>
    ),
    legend: Legend === undefined ? null : <Legend data={data} />,
    tip: track.tip === undefined ? null : <Tip track={track} data={data} size={size} pointer={pointer} />,
    saveButtons: track.saved === undefined ? null : <TrackSaves saved={track.saved} data={data} />,
  }
}

function scaleOf({ from, to }: Span, { width, height }: Size): TimeScale {
  const perSecond = (width - GUTTER) / (to - from)
  return {
    from,
    to,
    width,
    height,
    left: GUTTER,
    x: (t) => GUTTER + (t - from) * perSecond,
    timeAt: (x) => from + Math.max(0, x - GUTTER) / perSecond,
  }
}

/**
 * Returns the pointer's handlers: a click goes to a time, and a drag of the mouse zooms to the dragged times.
 *
 * @param click handles a click, and returns true if the click goes to no time
 */
function pointing(
  pointer: Signal<Point | undefined>,
  drag: Signal<Span | undefined>,
  hasZoomed: RefObject<boolean>,
  size: Size,
  click: (x: number, y: number) => boolean,
): HTMLAttributes<HTMLDivElement> {
  return {
    onPointerDown: (event) => {
      const { x } = pointIn(event)
      if (event.pointerType !== 'mouse' || event.button !== 0 || x < GUTTER) return
      event.currentTarget.setPointerCapture(event.pointerId)
      drag.value = { from: x, to: x }
    },
    onPointerMove: (event) => {
      if (drag.value === undefined) return
      const x = Math.max(GUTTER, Math.min(size.width, pointIn(event).x))
      drag.value = { from: drag.value.from, to: x }
    },
    onPointerUp: () => {
      const { timeAt } = scaleOf(visible.peek(), size)
      const [left, right] = inOrder(drag.peek())
      drag.value = undefined
      hasZoomed.current = right - left >= LEAST_DRAG
      if (hasZoomed.current) zoom.value = { from: Math.max(0, timeAt(left)), to: timeAt(right) }
    },
    onPointerCancel: () => {
      drag.value = undefined
    },
    onClick: (event) => {
      const { x, y } = pointIn(event)
      // The click at the end of a drag goes to no time.
      if (x >= GUTTER && !hasZoomed.current && !click(x, y))
        reveal({ kind: 'time', t: scaleOf(visible.peek(), size).timeAt(x) })
      hasZoomed.current = false
    },
    onMouseMove: (event) => {
      pointer.value = pointIn(event)
    },
    onMouseLeave: () => {
      pointer.value = undefined
    },
  }
}

function inOrder({ from, to }: Span = { from: 0, to: 0 }): readonly [number, number] {
  return [Math.min(from, to), Math.max(from, to)]
}

function pointIn({ currentTarget, clientX, clientY }: TargetedMouseEvent<HTMLElement>): Point {
  const { left, top } = currentTarget.getBoundingClientRect()
  return { x: clientX - left, y: clientY - top }
}

/** Lines above a canvas, as elements, because a moved cursor must not draw the track again. */
function Lines({
  size,
  pointer,
  drag,
}: {
  readonly size: Size
  readonly pointer: Signal<Point | undefined>
  readonly drag: Signal<Span | undefined>
}): JSX.Element {
  const at = scaleOf(visible.value, size).x(cursor.value.t)
  const [left, right] = inOrder(drag.value)
  const x = pointer.value?.x ?? -1
  return (
    <>
      <i class="at" hidden={!(at >= GUTTER && at <= size.width)} style={moved(Math.round(at) - 1)} />
      <i class="pointer" hidden={x < GUTTER} style={moved(Math.round(x))} />
      <i class="dragged" hidden={right === left} style={{ ...moved(left), width: `${right - left}px` }} />
    </>
  )
}

function moved(x: number): { readonly transform: string } {
  return { transform: `translateX(${x}px)` }
}

function Tip({
  track,
  data,
  size,
  pointer,
}: {
  readonly track: Track
  readonly data: unknown
  readonly size: Size
  readonly pointer: Signal<Point | undefined>
}): JSX.Element {
  const at = pointer.value
  const isKnown = at !== undefined && data !== undefined
  return <output>{isKnown ? track.tip!(data, scaleOf(visible.value, size), at.x, at.y) : ''}</output>
}

function TrackSaves({
  saved: { title, file, figureOf },
  data,
}: {
  readonly saved: NonNullable<Track['saved']>
  readonly data: unknown
}): JSX.Element {
  return <SaveButtons title={title} name={file} figureOf={() => (data === undefined ? undefined : figureOf(data))} />
}
