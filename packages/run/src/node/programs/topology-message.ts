import type { Topology } from '@cloister/topology'

const texts = new WeakMap<Topology, string>()

/** Returns a topology as the JSON text that programs get, with all numbers that a policy reads. */
export function topologyMessage(topology: Topology): string {
  let text = texts.get(topology)
  if (text === undefined) texts.set(topology, (text = JSON.stringify(topologyJson(topology))))
  return text
}

function topologyJson({ name, nodes, firstNodeOfLeaf, firstLeafOfPod, firstL2OfPod, levels, pgft, envelope }: Topology): object {
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
    ...(pgft && { pgft }),
    ...(envelope && {
      envelope: {
        shape: envelope.shape,
        nodes: [...envelope.nodes],
        switches: envelope.switches.map((ids) => [...ids]),
        links: envelope.links.map((ids) => [...ids]),
      },
    }),
  }
}
