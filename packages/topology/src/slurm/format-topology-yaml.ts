import type { Topology } from '../topology.ts'
import { formatTopologyConf } from './format-topology-conf.ts'
import { switchLines } from './slurm-lines.ts'

/**
 * Returns a Slurm `topology.yaml` with one topology, `default`, which has the switches of `formatTopologyConf`.
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

/** Quotes make YAML read a name of digits as text. Names have no quotes and backslashes, so nothing needs an escape. */
function quoted(text: string): string {
  return `"${text}"`
}
