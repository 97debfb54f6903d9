import { useSignal, useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { TimelineMeansAnswer } from '../../run/questions.ts'
import { freshContext, GUTTER, type Size, useSize } from '../drawing/canvas.tsx'
import { css, themeColor } from '../drawing/colors.ts'
import { rememberPlace } from '../state/address.ts'
import { askRested } from '../state/asking.ts'
import { faultOf } from '../state/faults.ts'
import type { RunClient } from '../state/run-client.ts'
import { activeRun, isOfParts, pan, runs, showTimes, visible, whole, within } from '../state/session.ts'
import { cursor, type Span, theme } from '../state/view-state.ts'

/** Time between the last change of the whole run and the request of means, in ms. */
const REST = 120
/** CSS pixels of the minimap for each requested point in time. */
const COLUMN = 2

/** Minimap: node use of the whole run, and the window of the visible times. Window and edges can be dragged. */
export function Minimap(): JSX.Element {
  const [box, size] = useSize<HTMLDivElement>()
  const canvas = useRef<HTMLCanvasElement>(null)
  const means = useSignal<TimelineMeansAnswer | undefined>(undefined)
  const sized = useRef(size)
  sized.current = size
  const hold = useRef<{ grip: Grip; x: number; window: Span } | undefined>(undefined)
  const width = Math.max(1, size.width - GUTTER)
  const draw = (): void => {
    if (canvas.current !== null && size.width > GUTTER)
      drawMinimap(canvas.current, sized.current, means.value, activeRun.value)
  }
  useSignalEffect(() => {
    const run = activeRun.value
    const { from, to } = whole.value
    if (run === undefined || run.version.value === 0) return undefined
    return askRested<TimelineMeansAnswer>({
      rest: REST,
      ask: async (give) => {
        const points = Math.max(20, Math.round((sized.current.width - GUTTER) / COLUMN))
        give(await run.answerer.ask('means', { from, to, points }))
      },
      given: (answer) => {
        means.value = answer
      },
      failed: run.fails,
    })
  })
  useSignalEffect(() => {
    void [means.value, visible.value, cursor.value, theme.value]
    draw()
  })
  useEffect(draw, [size])
  const secondsPerPixel = (whole.value.to - whole.value.from) / width
  const at = (event: PointerEvent): number =>
    event.clientX - (event.currentTarget as HTMLElement).getBoundingClientRect().left - GUTTER
  return (
    <div
      class="minimap"
      ref={box}
      role="slider"
      tabIndex={0}
      aria-label="Visible window of the run"
      aria-valuemin={whole.value.from}
      aria-valuemax={whole.value.to}
      aria-valuenow={visible.value.from}
      title="The whole run; drag the window of the visible times, or an edge of the window"
      data-testid="minimap"
      onPointerDown={(event) => {
        rememberPlace()
        const grip = gripAt(at(event), visible.peek(), whole.peek(), width)
        const { from, to } = visible.peek()
        if (grip === 'outside') showTimes(whole.peek().from + at(event) * secondsPerPixel - (to - from) / 2, to - from)
        hold.current = { grip, x: at(event), window: visible.peek() }
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerMove={(event) => {
        const { grip, x, window } = hold.current ?? {}
        if (grip === undefined) {
          const over = gripAt(at(event), visible.peek(), whole.peek(), width)
          event.currentTarget.style.cursor = over === 'from' || over === 'to' ? 'ew-resize' : 'grab'
          return
        }
        const { from, to } = dragged(grip, window!, (at(event) - x!) * secondsPerPixel, whole.peek(), secondsPerPixel)
        showTimes(from, to - from)
      }}
      onPointerUp={() => {
        hold.current = undefined
      }}
      onPointerCancel={() => {
        hold.current = undefined
      }}
      onKeyDown={(event) => {
        const { from, to } = visible.peek()
        const moves: Record<string, number> = { PageUp: from - to, PageDown: to - from }
        if (moves[event.key] === undefined) return
        event.preventDefault()
        pan(moves[event.key])
      }}
    >
      <canvas ref={canvas} />
    </div>
  )
}

function drawMinimap(
  canvas: HTMLCanvasElement,
  size: Size,
  means: TimelineMeansAnswer | undefined,
  run: RunClient | undefined,
): void {
  const context = freshContext(canvas, size)
  const width = size.width - GUTTER
  const { from, to } = whole.value
  const x = (t: number): number => GUTTER + ((t - from) / (to - from)) * width
  context.fillStyle = css(themeColor('--canvas'))
  context.fillRect(GUTTER, 0, width, size.height)
  if (means !== undefined && run !== undefined) {
    const column = width / means.t.length
    const { nodes } = run.topology
    const bar = (at: number, low: number, high: number, color: string): void => {
      context.fillStyle = color
      const [left, right] = [Math.round(GUTTER + at * column), Math.round(GUTTER + (at + 1) * column)]
      context.fillRect(left, size.height * (1 - high), right - left, size.height * (high - low))
    }
    const [quiet, loud] = [css(themeColor('--job')), css(themeColor('--fragmented'))]
    for (let at = 0; at < means.t.length; at++) {
      if (Number.isNaN(means.busy[at])) continue
      const busy = (means.busy[at] + means.internal[at]) / nodes
      bar(at, 0, busy, quiet)
      bar(at, busy, busy + means.external[at] / nodes, loud)
    }
  }
  for (const { t } of runs.value.flatMap((each) => faultOf(each) ?? [])) {
    context.fillStyle = css(themeColor('--conflict'))
    context.fillRect(Math.round(x(t)) - 2, 0, 4, size.height)
  }
  const [left, right] = [x(visible.value.from), x(visible.value.to)]
  context.fillStyle = css(themeColor('--paper')).replace(')', ' / 65%)')
  context.fillRect(GUTTER, 0, left - GUTTER, size.height)
  context.fillRect(right, 0, size.width - right, size.height)
  context.strokeStyle = css(themeColor('--ink'))
  context.strokeRect(left + 0.5, 0.5, Math.max(3, right - left) - 1, size.height - 1)
  context.fillStyle = css(themeColor('--accent'))
  context.fillRect(Math.round(x(cursor.value.t)) - 1, 0, 2, size.height)
  context.fillStyle = css(themeColor('--muted'))
  context.textBaseline = 'middle'
  context.fillText(isOfParts.value ? 'whole part' : 'whole run', 3, size.height / 2)
}

/** Greatest distance between the pointer and an edge of the window at which a drag moves the edge, in CSS pixels. */
const EDGE = 6

type Grip = 'from' | 'to' | 'window' | 'outside'

/** Returns the part of the minimap's window at `x` CSS pixels from the left of the run, drawn `width` pixels wide. */
export function gripAt(x: number, window: Span, whole: Span, width: number): Grip {
  const [from, to] = [window.from, window.to].map((t) => ((t - whole.from) / (whole.to - whole.from)) * width)
  if (Math.abs(x - from) <= EDGE && x - from <= to - x) return 'from'
  if (Math.abs(x - to) <= EDGE) return 'to'
  return x > from && x < to ? 'window' : 'outside'
}

/** Returns the minimap's window after a drag by `by` seconds (negative: earlier), at least `least` seconds long. */
export function dragged(grip: Grip, window: Span, by: number, whole: Span, least: number): Span {
  const clamp = (t: number): number => Math.max(whole.from, Math.min(whole.to, t))
  switch (grip) {
    case 'from':
      return { from: Math.min(clamp(window.from + by), window.to - least), to: window.to }
    case 'to':
      return { from: window.from, to: Math.max(clamp(window.to + by), window.from + least) }
    default:
      return within(window.from + by, window.to - window.from, whole)
  }
}
