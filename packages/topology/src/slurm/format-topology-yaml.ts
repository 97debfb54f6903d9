import type { Topology } from '../topology.ts'
import { formatTopologyConf } from './format-topology-conf.ts'
import { switchLines } from './slurm-lines.ts'

/**
 * Writes a Slurm `topology.yaml` with one topology, `default`, a tree: the same as `formatTopologyConf` writes, with the same limits.
 *
 * @throws HostlistError where a name fits in no hostlist
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

/** Names have no quotes and no backslashes: YAML reads them in quotes as they are, numbers and all. */
function quoted(text: string): string {
  return `"${text}"`
}
