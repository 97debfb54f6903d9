import type { JSX } from 'preact'
import type { TimelineMeansAnswer } from '../../run/questions.ts'
import { nodeHours, percent, shortSpan } from '../../words.ts'
import { nodeTimeMeans } from '../state/asking.ts'
import { reveal } from '../state/reveal.ts'
import type { RunClient } from '../state/run-client.ts'
import { shownUses, timeText } from '../state/session.ts'
import { Head } from './panel-shell.tsx'

/** Greatest number of listed stretches. */
const LISTED = 12

/** The stretches of the visible times with most fragmented node-time, the worst first. */
export function WorstStretches({ run }: { readonly run: RunClient }): JSX.Element {
  const means = nodeTimeMeans.value.get(run)
  const found = means === undefined ? [] : worstStretches(means, LISTED)
  const { nodes } = run.topology
  const { name } = shownUses.value.at(-1)!
  return (
    <>
      <h3>Worst stretches of the visible times</h3>
      {found.length === 0 ? (
        <p class="empty">No node is {name} at the visible times.</p>
      ) : (
        <table data-testid="stretches">
          <Head columns={['from', ['lasts'], [name], ['of all node-time']]} />
          <tbody>
            {found.map(({ from, to, nodeTime }) => (
              <tr key={from}>
                <td>
                  <button type="button" class="link" onClick={() => reveal({ kind: 'times', length: to - from, from })}>
                    {timeText(Math.round(from))}
                  </button>
                </td>
                <td class="number">{shortSpan(to - from)}</td>
                <td class="number">{nodeHours(nodeTime)} h</td>
                <td class="number">{percent(nodeTime / ((to - from) * nodes))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}

/** Times in seconds without a pause in fragmented nodes above their mean, and the fragmented node-seconds. */
interface Stretch {
  readonly from: number
  readonly to: number
  readonly nodeTime: number
}

/** Returns the stretches in which more nodes are fragmented than in the mean over all points, the worst first. */
export function worstStretches(
  { t, fragmented }: Pick<TimelineMeansAnswer, 't' | 'fragmented'>,
  most: number,
): ReadonlyArray<Stretch> {
  if (t.length < 2) return []
  const length = t[1] - t[0]
  // Points after the end of the log have the value NaN.
  const known = fragmented.filter((nodes) => nodes >= 0)
  const mean = known.reduce((sum, nodes) => sum + nodes, 0) / known.length
  const found: Array<{ from: number; to: number; nodeTime: number }> = []
  for (const [at, nodes] of fragmented.entries()) {
    if (!(nodes > mean)) continue
    const last = found.at(-1)
    const from = t[at] - length / 2
    if (last !== undefined && from - last.to < length / 2) {
      last.to = from + length
      last.nodeTime += nodes * length
    } else found.push({ from, to: from + length, nodeTime: nodes * length })
  }
  return found.sort((a, b) => b.nodeTime - a.nodeTime).slice(0, most)
}
