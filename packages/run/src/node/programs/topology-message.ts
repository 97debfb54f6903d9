import { type Topology, topologyToJson } from '@cloister/topology'

const texts = new WeakMap<Topology, string>()

/** Returns a topology as the JSON text that programs get, with all numbers that a policy reads. */
export function topologyMessage(topology: Topology): string {
  let text = texts.get(topology)
  if (text === undefined) texts.set(topology, (text = JSON.stringify(topologyJson(topology))))
  return text
}

function topologyJson(topology: Topology): object {
  const { nodes, firstNodeOfLeaf, firstLeafOfPod, firstL2OfPod, levels } = topology
  const { name, ...shape } = topologyToJson(topology)
  return {
    name,
    nodes,
    firstNodeOfLeaf: [...firstNodeOfLeaf],
    firstLeafOfPod: [...firstLeafOfPod],
    firstL2OfPod: [...firstL2OfPod],
    levels: levels.map(({ switches, firstPort, parentOfLink }) => ({
      switches,
      firstPort: [...firstPort],
      parentOfLink: [...parentOfLink],
    })),
    // The numbers above have the whole graph.
    ...('graph' in shape ? {} : shape),
  }
}
