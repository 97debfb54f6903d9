import { type Allocation, bindPolicy, ClusterState, type Request } from '@cloister/placement'
import { request } from '@cloister/placement/checks'
import { Draw } from '@cloister/placement/testing'
import { parseTopology, type Topology } from '@cloister/topology'
import { type Config, mosaic } from '../src/index.ts'

/** Generates allocations of Mosaic for random jobs with estimates, on a machine that stays nearly full. */
export function* allocations(
  spec: string,
  seed: number,
  jobs: number,
  config: Config = {},
): Generator<Allocation & { readonly topology: Topology }> {
  const topology = parseTopology(spec)
  const { placer } = bindPolicy(mosaic, topology, config)
  const state = new ClusterState(topology, { index: placer.index })
  const draw = new Draw(seed)
  let now = 0
  for (let startOrder = 0; startOrder < jobs; startOrder++) {
    const asked: Request = request(1 + draw.below(draw.pick([4, 12, topology.nodes / 2])), {
      now,
      estimate: 1000 + draw.below(50_000),
    })
    const outcome = placer.place(state, asked, state.index)
    if (outcome.ok) {
      const { nodes, links } = outcome
      const allocation = { job: `${startOrder}`, nodes, links, estimatedEnd: now + asked.estimate!, startOrder }
      state.apply(allocation)
      yield { ...allocation, topology }
    } else if (state.running.length > 0) {
      const first = state.running[0]
      now = first.estimatedEnd
      state.release(first)
    }
  }
}
