import type { FragmentationCause } from '@cloister/replay'
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

/** Number of moments of the visible times about which the policy is asked. */
const MOMENTS = 48
/** Width of the mark of a moment, in CSS pixels. */
const MARK = 5

/** Causes of fragmented nodes (idle while a waiting job needs no more nodes), in the order of the legend. */
const fragmentationCauses: ReadonlyArray<{
  readonly cause: FragmentationCause
  readonly name: string
  readonly about: string
  readonly color: string
}> = [
  {
    cause: 'shape',
    name: 'shape',
    about: 'enough idle nodes, but in no shape that the policy can use',
    color: '--fragmented',
  },
  { cause: 'links', name: 'links', about: 'enough idle nodes, but needed links are allocated', color: '--line-1' },
  {
    cause: 'reservation',
    name: 'reservation',
    about: 'the idle nodes are reserved for another job',
    color: '--beyond',
  },
  {
    cause: 'order',
    name: 'order',
    about: 'the queue discipline does not try the job, by its order or window',
    color: '--few',
  },
  { cause: 'search', name: 'search', about: 'the policy gave up its search for a placement', color: '--line-3' },
  { cause: 'none', name: 'next pass', about: 'no cause: the next scheduling pass starts the job', color: '--line-4' },
]

/** Strip with a mark for each moment at which the policy named a cause of fragmented nodes, in the cause's colour. */
export function FragmentationStrip({ run }: { readonly run: RunClient }): JSX.Element | null {
  const [box, size] = useSize<HTMLDivElement>()
  const canvas = useRef<HTMLCanvasElement>(null)
  const sized = useRef(size)
  sized.current = size
  const samples = useSamples(run, MOMENTS, async (t, signal) => {
    const { fragmented } = await run.answerer.ask('fragmented', { t }, signal)
    return fragmented
  })
  const draw = (): void => {
    if (canvas.current === null || sized.current.width <= GUTTER) return
    const context = freshContext(canvas.current, sized.current)
    const { from, to } = visible.value
    for (const { t, answer } of samples.value) {
      if (answer === null) continue
      const { color } = fragmentationCauses.find(({ cause }) => cause === answer.cause)!
      context.fillStyle = css(themeColor(color))
      const x = GUTTER + ((t - from) / (to - from)) * (sized.current.width - GUTTER)
      // The height of a mark follows the square root of the share of fragmented nodes, and is at least 4 pixels.
      const height = Math.max(4, Math.sqrt(answer.nodes / run.topology.nodes) * sized.current.height)
      context.fillRect(Math.round(x - MARK / 2), sized.current.height - height, MARK, height)
    }
    context.fillStyle = css(themeColor('--muted'))
    context.font = '12px system-ui, sans-serif'
    context.textBaseline = 'middle'
    context.fillText('fragmented by', 3, sized.current.height / 2)
  }
  useSignalEffect(() => {
    void [samples.value, visible.value, theme.value]
    draw()
  })
  useEffect(draw, [size])
  if (run.overview.value?.canAsk !== true) return null
  const counts = new Map<FragmentationCause, number>()
  for (const { answer } of samples.value)
    if (answer !== null) counts.set(answer.cause, (counts.get(answer.cause) ?? 0) + 1)
  return (
    <>
      <p class="fragmentation-legend" data-testid="fragmented">
        fragmented at {samples.value.filter(({ answer }) => answer !== null).length} of {samples.value.length} moments
        by
        {fragmentationCauses.map(({ cause, name, about, color }) => (
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
        aria-label="Causes of fragmented nodes, at the moments about which the policy was asked"
      >
        <canvas ref={canvas} />
      </div>
    </>
  )
}
