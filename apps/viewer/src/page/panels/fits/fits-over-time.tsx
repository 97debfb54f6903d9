import type { FittingSizes } from '@cloister/replay'
import { useComputed } from '@preact/signals'
import type { JSX } from 'preact'
import type { RunClient } from '../../state/run-client.ts'
import { timeText } from '../../state/clock.ts'
import { reveal } from '../../navigation/reveal.ts'
import { useSamples } from '../../tracks/use-samples.ts'
import { count, percent } from '../../text/times.ts'
import { visible } from '../../state/session.ts'
import { fittingBars } from './fitting-steps.ts'

/** Number of visible moments about which the policy is asked. The policy is asked about many sizes at each. */
const MOMENTS = 16

/** Table of the share of idle nodes that jobs of a bin of sizes (row) could use at a moment (column): dark if low. */
export function FitsOverTime({ run }: { readonly run: RunClient }): JSX.Element {
  const samples = useSamples(run, MOMENTS, async (t, signal) => {
    const { fits } = await run.answerer.ask('fits', { t }, signal)
    return fits
  })
  const columns = useComputed(() => [...samples.value].sort((a, b) => a.t - b.t))
  const { from, to } = visible.value
  const largest = Math.max(1, ...columns.value.map(({ answer }) => answer?.sizes.at(-1) ?? 1))
  const rows = Array.from({ length: Math.floor(Math.log2(largest)) + 1 }, (_, power) => 2 ** power).reverse()
  if (columns.value.length === 0) return <p class="empty">Asking the policy about {MOMENTS} moments…</p>
  return (
    <table class="fits-times">
      <tbody>
        {rows.map((size) => (
          <tr key={size}>
            <th scope="row">{count(size)}</th>
            {Array.from({ length: MOMENTS }, (_, at) => {
              const found = columns.value.find(({ t }) => Math.floor(((t - from) / (to - from)) * MOMENTS) === at)
              return <Cell key={at} size={size} t={found?.t} sizes={found?.answer ?? undefined} />
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Cell({
  size,
  t,
  sizes,
}: {
  readonly size: number
  readonly t: number | undefined
  readonly sizes: FittingSizes | undefined
}): JSX.Element {
  if (t === undefined || sizes === undefined) return <td />
  const idle = sizes.sizes.at(-1) ?? 0
  const share = fittingBars(sizes, idle).find(({ from }) => from === size)?.share
  if (share === undefined) return <td title={`${timeText(t)}: fewer nodes are idle`} />
  return (
    <td
      title={`${timeText(t)}: jobs of ${count(size)} and more could use ${percent(share, 0)} of ${count(idle)} idle nodes`}
    >
      <button
        type="button"
        tabIndex={-1}
        aria-label={`${timeText(t)}, ${count(size)} nodes: ${percent(share, 0)}`}
        style={{ opacity: 0.12 + 0.88 * (1 - share) }}
        onClick={() => reveal({ kind: 'time', t })}
      />
    </td>
  )
}
