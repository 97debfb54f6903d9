import type { FragmentationCause, FragmentedNodes } from '@cloister/replay'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { css, themeColor } from '../drawing/colors.ts'
import type { Track } from '../extensions.ts'
import { type Sample, useSamples } from '../state/asking.ts'
import { activeRun } from '../state/session.ts'

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

/** Number of the machine's nodes, and the policy's answers. */
interface Causes {
  readonly nodes: number
  readonly samples: ReadonlyArray<Sample<FragmentedNodes | null>>
}

/** Track with a mark for each moment at which the policy named a cause of fragmented nodes, in the cause's colour. */
export const fragmentation: Track<Causes> = {
  name: 'fragmented by',
  height: 18,
  style: 'fragmentation',
  isOffered: () => activeRun.value?.overview.value?.canAsk === true,
  useData: useCauses,
  draw: (context, { x, height: most }, { nodes, samples }) => {
    for (const { t, answer } of samples) {
      if (answer === null) continue
      const { color } = fragmentationCauses.find(({ cause }) => cause === answer.cause)!
      context.fillStyle = css(themeColor(color))
      // The height of a mark follows the square root of the share of fragmented nodes, and is at least 4 pixels.
      const height = Math.max(4, Math.sqrt(answer.nodes / nodes) * most)
      context.fillRect(Math.round(x(t) - MARK / 2), most - height, MARK, height)
    }
    context.fillStyle = css(themeColor('--muted'))
    context.textBaseline = 'middle'
    context.fillText('fragmented by', 3, most / 2)
  },
  legend: Legend,
  describe: () => 'Causes of fragmented nodes, at the moments about which the policy was asked',
}

function useCauses(): Causes {
  const run = activeRun.value
  const samples = useSamples(
    () => activeRun.value,
    MOMENTS,
    async ({ answerer }, t, signal) => (await answerer.ask('fragmented', { t }, signal)).fragmented,
  )
  return useMemo(() => ({ nodes: run?.topology.nodes ?? 0, samples }), [run, samples])
}

function Legend({ data }: { readonly data: Causes | undefined }): JSX.Element {
  const { samples = [] } = data ?? {}
  const counts = new Map<FragmentationCause, number>()
  for (const { answer } of samples) if (answer !== null) counts.set(answer.cause, (counts.get(answer.cause) ?? 0) + 1)
  return (
    <span class="legend-of-moments" data-testid="fragmented">
      fragmented at {samples.filter(({ answer }) => answer !== null).length} of {samples.length} moments by
      {fragmentationCauses.map(({ cause, name, about, color }) => (
        <span key={cause} title={about}>
          <i style={{ background: `var(${color})` }} />
          {name} <b>{counts.get(cause) ?? 0}</b>
        </span>
      ))}
    </span>
  )
}
