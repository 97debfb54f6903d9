/**
 * Measures the time to compute max-min fair rates on a full machine: node --conditions=@cloister/source bench/bench.ts
 * [TOPOLOGY] [FLOWS_PER_NODE]
 */
import { DirectedLinks, dModK, FlowPathsBuilder, MaxMinSharing, routedPaths } from '../src/index.ts'
import { parseTopology, seededDraws } from '@cloister/topology'

const [spec = 'pgft:3;22,22,22;1,22,22;1,1,1', perNode = '8'] = process.argv.slice(2)
const topology = parseTopology(spec)
const links = new DirectedLinks(topology, { node: 24, levels: [11.9] })
const draw = seededDraws(1)
const path = routedPaths(topology, links, dModK(topology))
const times = Array.from({ length: 5 }, () => {
  const began = performance.now()
  const builder = new FlowPathsBuilder()
  for (let node = 0; node < topology.nodes; node++)
    for (let flow = 0; flow < Number(perNode); flow++) builder.add(path, node, draw(topology.nodes))
  const paths = builder.build()
  const routed = performance.now()
  const sharing = new MaxMinSharing(paths, links.capacity)
  for (let flow = 0; flow < paths.flows; flow++) sharing.add(flow)
  const built = performance.now()
  sharing.share()
  return [routed - began, performance.now() - built] as const
})
const median = (at: 0 | 1): string =>
  times
    .map((each) => each[at])
    .sort((a, b) => a - b)[2]
    .toFixed(0)
console.log(
  `${topology.nodes} nodes, ${topology.nodes * Number(perNode)} flows: paths ${median(0)} ms, rates ${median(1)} ms (medians of 5)`,
)
