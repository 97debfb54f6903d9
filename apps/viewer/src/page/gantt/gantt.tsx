import { useComputed, useSignal, useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { oncePerFrame, useSize } from '../drawing/canvas.ts'
import { Tip } from '../drawing/tip.tsx'
import { describeJob } from './jobs-bar.tsx'
import { drawMarks, drawSpans, frameOf } from './gantt-drawing.ts'
import type { Box } from './box-zoom.ts'
import { strokeOf } from '../drawing/strokes.ts'
import { hasHeat, heatInWords } from './heat.ts'
import { GUTTER, ROWS_TOP } from '../drawing/measures.ts'
import { drawIdle } from './idle-layer.ts'
import { pointing } from './gantt-pointing.ts'
import type { Frame } from './raster.ts'
import type { RunClient } from '../state/run-client.ts'
import { nodeTimeMeans } from '../state/node-time-means.ts'
import { visible, whole } from '../state/session.ts'
import { timeText } from '../state/clock.ts'
import { count } from '../text/times.ts'
import { area, colorBy, cursor, hoveredJob, pins, rows, selectedJob, side, theme } from '../state/view-state.ts'

/** Chart of the jobs of a run: nodes from top to bottom, time from left to right. */
export function Gantt({ run, title }: { readonly run: RunClient; readonly title: string | undefined }): JSX.Element {
  const [box, size] = useSize<HTMLDivElement>()
  const picture = useRef<HTMLCanvasElement>(null)
  const marks = useRef<HTMLCanvasElement>(null)
  const sized = useRef(size)
  sized.current = size
  const description = useComputed(() => describe(run))
  const frame = (): Frame | undefined => frameOf(run, sized.current)

  const dragging = useSignal<Box | undefined>(undefined)
  // The pointer handlers are made once for a run, because a drag may last over several drawings.
  const tip = useSignal<{ readonly x: number; readonly y: number } | undefined>(undefined)
  const handlers = useMemo(
    () =>
      pointing(run, frame, (shown) => {
        dragging.value = shown
      }),
    [run],
  )

  const idle = useRef<HTMLCanvasElement>(null)
  const repaintIdle = (): void => {
    const now = frame()
    if (now !== undefined && idle.current !== null)
      drawIdle(idle.current, sized.current, now, nodeTimeMeans.value.get(run))
  }
  const redraw = (): void => {
    const now = frame()
    if (now !== undefined && picture.current !== null) drawSpans(run, picture.current, sized.current, now)
  }
  // Cursor, state and pointer often change at nearly the same time, so `drawMarks` runs at most once a frame.
  const remark = useMemo(
    () =>
      oncePerFrame(() => {
        const now = frame()
        if (now !== undefined && marks.current !== null)
          drawMarks(run, marks.current, sized.current, now, dragging.value)
      }),
    [run],
  )
  useSignalEffect(() => {
    void [run.version.value, visible.value, rows.value, colorBy.value, selectedJob.value, pins.value, theme.value]
    redraw()
  })
  useSignalEffect(() => {
    void [
      run.version.value,
      visible.value,
      rows.value,
      cursor.value,
      selectedJob.value,
      hoveredJob.value,
      pins.value,
      dragging.value,
      area.value,
      run.moment.value,
      run.overview.value,
      theme.value,
    ]
    remark()
  })
  useSignalEffect(() => {
    void [run.version.value, visible.value, theme.value, nodeTimeMeans.value]
    repaintIdle()
  })
  useEffect(() => {
    repaintIdle()
    redraw()
    remark()
  }, [size])

  const tipText = ({ x, y }: { readonly x: number; readonly y: number }): string => {
    const now = frame()
    const job = hoveredJob.value === undefined ? [] : [describeJob(hoveredJob.value)]
    if (now === undefined || x < GUTTER || y < ROWS_TOP || !hasHeat(run, now)) return job.join('')
    const t = now.from + ((x - GUTTER) / now.width) * (now.to - now.from)
    const node = now.firstNode + Math.floor(((y - ROWS_TOP) / now.height) * (now.endNode - now.firstNode))
    return [heatInWords(run, now, t, Math.min(node, now.endNode - 1)), ...job].join(' · ')
  }
  const text = tip.value === undefined ? '' : tipText(tip.value)
  return (
    <section
      class="gantt"
      aria-label={`Jobs by node and time${title === undefined ? '' : `, ${title}`}`}
      data-active={side.value === run.side}
      onPointerDownCapture={() => {
        side.value = run.side
      }}
    >
      {title === undefined ? null : (
        <h2>
          {title} <small>{strokeOf(run).name} in the timelines</small>
        </h2>
      )}
      <div
        class="canvases"
        ref={box}
        {...handlers}
        onMouseMove={(event) => {
          const { left, top } = event.currentTarget.getBoundingClientRect()
          tip.value = { x: event.clientX - left, y: event.clientY - top }
        }}
        onMouseLeave={() => {
          tip.value = undefined
        }}
        tabIndex={0}
        role="img"
        aria-label={description}
        data-testid={`gantt-${run.side}`}
      >
        <canvas ref={picture} />
        <canvas class="below" ref={idle} />
        <canvas ref={marks} />
        {tip.value === undefined || text === '' ? null : (
          <Tip at={tip.value} within={size}>
            {text}
          </Tip>
        )}
      </div>
    </section>
  )
}

/** Describes the chart of jobs at the cursor for screen readers. */
function describe(run: RunClient): string {
  const moment = run.moment.value
  void run.version.value
  if (moment === undefined) return 'The state at the cursor is being looked up.'
  const chosen = selectedJob.value === undefined ? '' : ` Job ${selectedJob.value} is selected.`
  return `At ${timeText(moment.t)} of ${timeText(whole.value.to)}: ${count(moment.running.length)} jobs run on ${count(run.topology.nodes - moment.free - moment.down)} of ${count(run.topology.nodes)} nodes, ${count(moment.waiting)} wait.${chosen}`
}
