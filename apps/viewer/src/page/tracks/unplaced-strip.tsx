import type { UnplacedCause } from '@cloister/replay'
import { useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { freshContext, useSize } from '../drawing/canvas.ts'
import { css, themeColor } from '../drawing/colors.ts'
import { GUTTER } from '../drawing/measures.ts'
import type { RunClient } from '../state/run-client.ts'
import { visible } from '../state/session.ts'
import { theme } from '../state/view-state.ts'
import { useSamples } from './use-samples.ts'

/** Number of moments that the policy is asked about. */
const MOMENTS = 48
/** Width of a mark, in CSS pixels. */
const MARK = 5

/** Causes that keep nodes idle although a waiting job needs no more, in the order of the legend. */
const unplacedCauses: ReadonlyArray<{
  readonly cause: UnplacedCause
  readonly name: string
  readonly about: string
  readonly color: string
}> = [
  { cause: 'shape', name: 'shape', about: 'enough nodes, in no shape that the policy could use', color: '--waste' },
  { cause: 'links', name: 'links', about: 'the nodes would do, but links between them are taken', color: '--line-1' },
  { cause: 'reservation', name: 'reservation', about: 'held for a reservation', color: '--beyond' },
  { cause: 'order', name: 'order', about: 'the queue does not try the job: order or window', color: '--few' },
  { cause: 'search', name: 'search', about: 'the search for a place was given up', color: '--line-3' },
  { cause: 'none', name: 'next pass', about: 'nothing: the next scheduling pass starts the job', color: '--line-4' },
]

/** Causes of unplaced nodes by the policy's answers: a mark for each moment that the policy was asked about. */
export function UnplacedStrip({ run }: { readonly run: RunClient }): JSX.Element | null {
  const [box, size] = useSize<HTMLDivElement>()
  const canvas = useRef<HTMLCanvasElement>(null)
  const sized = useRef(size)
  sized.current = size
  const samples = useSamples(run, MOMENTS, async (t, signal) => {
    const { unplaced } = await run.answerer.ask('unplaced', { t }, signal)
    return unplaced
  })
  const draw = (): void => {
    if (canvas.current === null || sized.current.width <= GUTTER) return
    const context = freshContext(canvas.current, sized.current)
    const { from, to } = visible.value
    for (const { t, answer } of samples.value) {
      if (answer === null) continue
      const { color } = unplacedCauses.find(({ cause }) => cause === answer.cause)!
      context.fillStyle = css(themeColor(color))
      const x = GUTTER + ((t - from) / (to - from)) * (sized.current.width - GUTTER)
      // Heights follow the square root of the unplaced share of the machine, with a visible least height.
      const height = Math.max(4, Math.sqrt(answer.nodes / run.topology.nodes) * sized.current.height)
      context.fillRect(Math.round(x - MARK / 2), sized.current.height - height, MARK, height)
    }
    context.fillStyle = css(themeColor('--muted'))
    context.font = '12px system-ui, sans-serif'
    context.textBaseline = 'middle'
    context.fillText('unplaced by', 3, sized.current.height / 2)
  }
  useSignalEffect(() => {
    void [samples.value, visible.value, theme.value]
    draw()
  })
  useEffect(draw, [size])
  if (run.overview.value?.canAsk !== true) return null
  const counts = new Map<UnplacedCause, number>()
  for (const { answer } of samples.value)
    if (answer !== null) counts.set(answer.cause, (counts.get(answer.cause) ?? 0) + 1)
  return (
    <>
      <p class="unplaced-legend" data-testid="unplaced">
        unplaced at {samples.value.filter(({ answer }) => answer !== null).length} of {samples.value.length} moments by
        {unplacedCauses.map(({ cause, name, about, color }) => (
          <span key={cause} title={about}>
            <i style={{ background: `var(${color})` }} />
            {name} <b>{counts.get(cause) ?? 0}</b>
          </span>
        ))}
      </p>
      <div
        class="strip"
        ref={box}
        role="img"
        aria-label="Why nodes are unplaced, at the moments that the policy was asked about"
      >
        <canvas ref={canvas} />
      </div>
    </>
  )
}
