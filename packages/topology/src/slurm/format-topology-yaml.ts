import type { Topology } from '../topology.ts'
import { formatTopologyConf } from './format-topology-conf.ts'
import { switchLines } from './slurm-lines.ts'

/**
 * Returns a Slurm `topology.yaml` with one topology, `default`: the switches that `formatTopologyConf` writes. Like a
 * `topology.conf`, the file has no field for parallel cables.
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

/**
 * Puts a hostlist in quotes, so that YAML reads a name of digits as text. Names of nodes and switches have neither
 * quotes nor backslashes, so the text needs no escapes.
 */
function quoted(text: string): string {
  return `"${text}"`
}
