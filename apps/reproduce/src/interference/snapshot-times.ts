import { FlowPathsBuilder, type Messages, maxMinRates, type Network } from '@cloister/network'
import { quantile } from '../report/statistics.ts'
import type { Nodes } from './oblivious-placements.ts'

/** An iteration ends after this share of the job's messages, because phases would hide the slowest messages. */
const SHARE = 0.95

/**
 * Returns the time of an iteration of each job in ms, if all jobs send all messages of an iteration all the time. The
 * model favours jobs with many messages: such a job keeps its large share of every link until the slowest job ends,
 * although in reality jobs are done at different times.
 */
export function snapshotTimes(
  { path, capacity }: Network,
  jobs: ReadonlyArray<ReadonlyArray<Messages>>,
  nodes: Nodes,
): ReadonlyArray<number> {
  const builder = new FlowPathsBuilder()
  const weights: Array<number> = []
  for (const [job, phases] of jobs.entries())
    for (const { from, to, weight } of phases)
      for (let message = 0; message < from.length; message++) {
        builder.add(path, nodes[job][from[message]], nodes[job][to[message]])
        weights.push(weight![message])
      }
  const rates = maxMinRates(builder.build(), capacity, Float64Array.from(weights))
  let flow = 0
  return jobs.map((phases) => {
    const times: Array<number> = []
    for (const { size, weight } of phases)
      for (let message = 0; message < size.length; message++, flow++)
        // The parallel messages of a flow have the same rate, so all of them take this time.
        for (let copy = 0; copy < weight![message]; copy++) times.push(size[message] / rates[flow])
    return times.length === 0
      ? 0
      : quantile(
          times.sort((a, b) => a - b),
          SHARE,
        )
  })
}
