import { useComputed, useSignal, useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { spanFlags } from '../../run/questions.ts'
import { count, nodesInWords, span as length } from '../../words.ts'
import { GUTTER, oncePerFrame, ROWS_TOP, strokeOf, Tip, useSize } from '../drawing/canvas.tsx'
import { nodeTimeMeans } from '../state/asking.ts'
import { scaledRuns } from '../state/comparison.ts'
import { reveal, revealAll } from '../state/reveal.ts'
import type { RunClient } from '../state/run-client.ts'
import { runs, timeText, visible, whole, zoomBy } from '../state/session.ts'
import {
  area,
  clockBy,
  colorBy,
  cursor,
  differences,
  hoveredJob,
  pins,
  rows,
  selectedJob,
  sets,
  side,
  theme,
  toggle,
} from '../state/view-state.ts'
import { differenceKinds } from './differences.ts'
import { drawMarks, drawSpans, drawTimeAxis, frameOf } from './gantt-drawing.ts'
import { hasHeat, heatInWords, heatShown, partialLeafFreeBounds, partialLeafFreeLoudness } from './heat.ts'
import { drawIdle, type Frame } from './layers.ts'
import { type Box, pointing } from './pointing.ts'

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
    void [differences.value, scaledRuns.value]
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
      differences.value,
      clockBy.value,
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
      onPointerDownCapture={sets(side, run.side)}
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
        onMouseLeave={sets(tip, undefined)}
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

/** The common time axis above the charts of several runs. */
export function TimeAxis(): JSX.Element {
  const [box, size] = useSize<HTMLDivElement>()
  const canvas = useRef<HTMLCanvasElement>(null)
  const draw = (): void => {
    if (canvas.current !== null && size.width > GUTTER) drawTimeAxis(canvas.current, size)
  }
  useSignalEffect(() => {
    void [visible.value, theme.value, clockBy.value]
    draw()
  })
  useEffect(draw, [size])
  return (
    <div class="time-axis" ref={box} aria-hidden="true">
      <canvas ref={canvas} />
    </div>
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

const GESTURES =
  'wheel: zoom in time · shift and wheel: zoom in nodes · drag: move · click: go to the time · shift and drag: zoom to a box · alt and drag: select an area'

/** The bar above the job charts: legend, navigation, pinned jobs, and the job under the pointer. */
export function JobsBar(): JSX.Element {
  const text = useComputed(() => (hoveredJob.value === undefined ? GESTURES : describeJob(hoveredJob.value)))
  return (
    <header class="jobs-bar">
      <h2>Jobs</h2>
      <div role="group" aria-label="Zoom of the chart of jobs">
        <button type="button" onClick={() => zoomBy(2)} aria-label="Further away" title="Further away (−)">
          −
        </button>
        <button type="button" onClick={() => zoomBy(0.5)} aria-label="Closer" title="Closer (+)">
          +
        </button>
        <button type="button" onClick={revealAll} title="All times and nodes (0)">
          all
        </button>
      </div>
      <Pins />
      {runs.value.length > 1 ? <DifferencesSwitch /> : null}
      {differences.value ? <DifferencesLegend /> : heatShown.value ? <HeatLegend /> : null}
      <output class="under" data-gestures={GESTURES} data-testid="under-pointer">
        <span>{text}</span>
      </output>
    </header>
  )
}

function DifferencesSwitch(): JSX.Element {
  return (
    <label class="switch" title="Mark nodes and links that a run holds and the other compared run does not (v)">
      <input
        type="checkbox"
        checked={differences.value}
        onChange={(event) => {
          differences.value = event.currentTarget.checked
        }}
      />{' '}
      differences
    </label>
  )
}

function DifferencesLegend(): JSX.Element {
  const names = { same: 'same job', other: 'another job', only: 'only in this run' }
  return (
    <span class="heat-legend">
      {(['same', 'other', 'only'] as const).map((kind) => (
        <span key={kind} title={differenceKinds[kind].about}>
          {kind === 'only' && heatShown.value ? (
            <>
              {names.only} 0 % <i style={{ background: 'linear-gradient(90deg, var(--same), var(--only))' }} /> 100 %
            </>
          ) : (
            <>
              <i class="swatch" style={{ background: `var(${differenceKinds[kind].color})` }} /> {names[kind]}
            </>
          )}
        </span>
      ))}
    </span>
  )
}

function HeatLegend(): JSX.Element {
  const bins = [...partialLeafFreeBounds, 1].map(partialLeafFreeLoudness)
  return (
    <span class="heat-legend">
      <span>
        held 0 % <i style={{ background: 'linear-gradient(90deg, var(--canvas), var(--job))' }} /> 100 %
      </span>
      <span title="share of each pod's nodes: free nodes on partly used leaves; no request for whole leaves can use them">
        free on partly used leaves ≤ {100 * partialLeafFreeBounds[0]} %{' '}
        {bins.map((loud) => (
          <i
            key={loud}
            class="bin"
            style={{ background: `color-mix(in srgb, var(--partial-leaf-free) ${100 * loud}%, var(--job))` }}
          />
        ))}{' '}
        &gt; {100 * partialLeafFreeBounds.at(-1)!} %
      </span>
    </span>
  )
}

function Pins(): JSX.Element | null {
  if (pins.value.length === 0) return null
  return (
    <span class="pins" role="group" aria-label="Pinned jobs">
      {pins.value.map((job) => (
        <span key={job}>
          <button
            type="button"
            onClick={() => {
              const run = runs.peek().find(({ numbers }) => numbers.has(job))
              if (run !== undefined) reveal({ kind: 'job', run, job })
            }}
          >
            {job}
          </button>
          <button type="button" aria-label={`Unpin ${job}`} onClick={() => toggle(pins, job)}>
            ×
          </button>
        </span>
      ))}
    </span>
  )
}

/** Describes the size, wait and run time of a job in every run. */
function describeJob(job: string): string {
  const parts = runs.value.flatMap((run) => {
    const description = describeIn(run, job)
    return description === undefined
      ? []
      : [runs.value.length > 1 ? `${run.side.toUpperCase()}: ${description}` : description]
  })
  return `job ${job}: ${parts.join(' · ')}`
}

function describeIn(run: RunClient, job: string): string | undefined {
  void run.version.value
  const number = run.numbers.get(job)
  if (number === undefined) return undefined
  const size = nodesInWords(run.sizes.at(number))
  const span = run.spansOf(number).at(-1)
  if (span === undefined) return `${size}, not started`
  const [start, end] = [run.starts.at(span), run.ends.at(span)]
  const how = (run.flags.at(span) & spanFlags.backfilled) === 0 ? '' : ' backfilled'
  return `${size}, waited ${length(start - run.submits.at(number))}, started${how} at ${timeText(start)}, ${Number.isNaN(end) ? 'still runs' : `ran ${length(end - start)}`}`
}
