import { useComputed, useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { figuresOf } from '../../run/figures.ts'
import type { TimelineMeansAnswer } from '../../run/questions.ts'
import { freshContext, oncePerFrame, type Size, useSize } from '../drawing/canvas.ts'
import { css, themeColor } from '../drawing/colors.ts'
import { GUTTER } from '../drawing/measures.ts'
import { reveal } from '../navigation/reveal.ts'
import { nodeTimeMeans } from '../state/node-time-means.ts'
import type { RunClient } from '../state/run-client.ts'
import { activeRun, visible } from '../state/session.ts'
import { cursor, theme } from '../state/view-state.ts'
import { percent } from '../text/times.ts'
import { nodeTimeUses } from '../../pictures/node-time-uses.ts'
import { drawNodeTime } from '../../pictures/over-time.ts'
import { SaveButtons } from '../drawing/save-buttons.tsx'
import { FragmentationStrip } from './fragmentation-strip.tsx'
import { goToWorst } from './worst-moment.ts'

/** Size of a saved picture of this track, in pixels. */
const PICTURE = { width: 960, height: 320 }

/** Track of node-time by use: the shares of a pixel add up to 100 %. The legend shows the shares at the cursor. */
export function NodeTimeTrack(): JSX.Element {
  const [box, size] = useSize<HTMLDivElement>()
  const canvas = useRef<HTMLCanvasElement>(null)
  const sized = useRef(size)
  sized.current = size
  const data = useComputed(() => {
    const run = activeRun.value
    const means = run === undefined ? undefined : nodeTimeMeans.value.get(run)
    return run === undefined || means === undefined ? undefined : { run, means }
  })
  const draw = useMemo(
    () =>
      oncePerFrame(() => {
        if (canvas.current !== null && data.value !== undefined && sized.current.width > GUTTER)
          drawTrack(canvas.current, sized.current, data.value)
      }),
    [],
  )
  const line = useRef<HTMLCanvasElement>(null)
  const drawLine = useMemo(
    () =>
      oncePerFrame(() => {
        if (line.current !== null && sized.current.width > GUTTER) drawCursor(line.current, sized.current)
      }),
    [],
  )
  useSignalEffect(() => {
    void [data.value, visible.value, theme.value]
    draw()
  })
  useSignalEffect(() => {
    void [cursor.value, visible.value, theme.value]
    drawLine()
  })
  useEffect(() => {
    draw()
    drawLine()
  }, [size])
  return (
    <section class="node-time" aria-label="Node-time by use">
      <header>
        <b>Node-time by use</b>
        {nodeTimeUses.map(({ name, about, color, of }) => (
          <span key={name} title={about}>
            <i style={{ background: `var(${color})` }} />
            {name} <Share of={of} />
          </span>
        ))}
        <button
          type="button"
          onClick={() => void goToWorst()}
          title="Go to the visible time with most idle nodes while a waiting job needs no more nodes (m)"
        >
          worst moment
        </button>
        <SaveButtons
          title="node-time by use"
          name="node-time"
          pictureOf={() =>
            data.value &&
            drawNodeTime(document, PICTURE, { name: '', nodes: data.value.run.topology.nodes, means: data.value.means })
          }
        />
      </header>
      <div
        class="canvases"
        ref={box}
        data-testid="node-time"
        onClick={(event) => {
          const { from, to } = visible.peek()
          const across = event.clientX - event.currentTarget.getBoundingClientRect().left - GUTTER
          reveal({ kind: 'time', t: from + (across / (size.width - GUTTER)) * (to - from) })
        }}
      >
        <canvas ref={canvas} />
        <canvas ref={line} />
      </div>
      {activeRun.value === undefined ? null : <FragmentationStrip key={activeRun.value.side} run={activeRun.value} />}
    </section>
  )
}

function Share({ of }: { readonly of: (typeof nodeTimeUses)[number]['of'] }): JSX.Element {
  const run = activeRun.value
  const moment = run?.moment.value
  if (run === undefined || moment === undefined) return <b>–</b>
  return <b>{percent(of(figuresOf(moment, run.topology), run.topology) / run.topology.nodes)}</b>
}

function drawTrack(
  canvas: HTMLCanvasElement,
  size: Size,
  { run, means }: { readonly run: RunClient; readonly means: TimelineMeansAnswer },
): void {
  const context = freshContext(canvas, size)
  const points = means.t.length
  const length = points < 2 ? 1 : means.t[1] - means.t[0]
  const { from, to } = visible.value
  const x = (t: number): number => GUTTER + ((t - from) / (to - from)) * (size.width - GUTTER)
  const edge = (at: number): number => Math.round(x(means.t[0] - length / 2 + at * length))
  const colors = nodeTimeUses.map(({ color }) => css(themeColor(color)))
  context.save()
  context.beginPath()
  context.rect(GUTTER, 0, size.width - GUTTER, size.height)
  context.clip()
  for (let at = 0; at < points; at++) {
    if (Number.isNaN(means.busy[at])) continue
    const figures = Object.fromEntries(Object.entries(means).map(([name, values]) => [name, values[at]]))
    // Columns begin and end at whole pixels, because fractions would show as stripes between neighbours.
    const [left, right] = [edge(at), edge(at + 1)]
    let bottom = size.height
    for (const [cause, { of }] of nodeTimeUses.entries()) {
      const height = (of(figures as Parameters<typeof of>[0], run.topology) / run.topology.nodes) * size.height
      context.fillStyle = colors[cause]
      context.fillRect(left, bottom - height, right - left, height)
      bottom -= height
    }
  }
  context.restore()
  context.fillStyle = css(themeColor('--muted'))
  context.font = '12px system-ui, sans-serif'
  context.textAlign = 'right'
  context.textBaseline = 'top'
  context.fillText('100 %', GUTTER - 6, 0)
  context.textBaseline = 'bottom'
  context.fillText('0 %', GUTTER - 6, size.height)
}

/** Draws the cursor line on a separate canvas, because the cursor moves far more often than the track changes. */
function drawCursor(canvas: HTMLCanvasElement, size: Size): void {
  const context = freshContext(canvas, size)
  const { from, to } = visible.value
  const at = GUTTER + ((cursor.value.t - from) / (to - from)) * (size.width - GUTTER)
  context.fillStyle = css(themeColor('--accent'))
  if (at >= GUTTER) context.fillRect(Math.round(at) - 1, 0, 2, size.height)
}
