import type { Topology } from '../topology.ts'
import { formatTopologyConf } from './format-topology-conf.ts'
import { switchLines } from './slurm-lines.ts'

/**
 * Returns a Slurm `topology.yaml` with one topology, `default`: the tree of `formatTopologyConf`, with the same limits.
 *
 * @throws HostlistError if a name fits in no hostlist
 */
export function formatTopologyYaml(topology: Topology): string {
  const switches = switchLines(formatTopologyConf(topology), topology.name).map(
    ({ name, nodes, switches: children }) => {
      const below = nodes === undefined ? `children: ${quoted(children!)}` : `nodes: ${quoted(nodes)}`
      return `      - switch: ${quoted(name)}\n        ${below}\n`
    },
  )
  return `- topology: default\n  cluster_default: true\n  tree:\n    switches:\n${switches.join('')}`
}

/** Puts names in quotes, so that YAML reads a name of digits as text. Names have neither quotes nor backslashes. */
function quoted(text: string): string {
  return `"${text}"`
}
