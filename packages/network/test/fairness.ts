import type { FlowPaths } from '../src/index.ts'

/**
 * Returns a message if rates are not max-min fair by the definition (Bertsekas and Gallager, section 6.5.2): a link is
 * above its capacity, or a flow has no bottleneck. A bottleneck is a full link on which no flow has a higher rate per
 * weight. Returns undefined for fair rates.
 *
 * @param tolerance relative tolerance of the comparisons
 */
export function unfairness(
  { flows, first, links }: FlowPaths,
  capacity: Float64Array,
  rates: ArrayLike<number>,
  weights: ArrayLike<number> = new Float64Array(flows).fill(1),
  tolerance = 1e-9,
): string | undefined {
  const load = new Float64Array(capacity.length)
  const most = new Float64Array(capacity.length)
  const each = (visit: (flow: number, link: number) => void): void => {
    for (let flow = 0; flow < flows; flow++)
      for (let at = first[flow]; at < first[flow + 1]; at++) visit(flow, links[at])
  }
  each((flow, link) => {
    load[link] += rates[flow]
    most[link] = Math.max(most[link], rates[flow] / weights[flow])
  })
  const above = load.findIndex((each, link) => each > capacity[link] * (1 + tolerance))
  if (above >= 0) return `link ${above} carries ${load[above]}, its capacity is ${capacity[above]}`
  const hasBottleneck = new Set<number>()
  each((flow, link) => {
    const isFull = load[link] >= capacity[link] * (1 - tolerance)
    if (isFull && rates[flow] / weights[flow] >= most[link] * (1 - tolerance)) hasBottleneck.add(flow)
  })
  for (let flow = 0; flow < flows; flow++)
    if (first[flow] < first[flow + 1] && !hasBottleneck.has(flow))
      return `flow ${flow} could have more than ${rates[flow]}`
  return undefined
}
