import { jsonOf } from '../read-values.ts'
import type { LinkCounts } from '../slurm/switch-tree.ts'
import type { ParsedYaml } from '../slurm/topology-yaml.ts'
import type { Topology } from '../topology.ts'
import { parseHostTable } from './host-table.ts'
import { parseInstanceTopology, topologyOfGraph } from './instance-topology.ts'
import { parseNodeLabels } from './node-labels.ts'
import { topologyOfModel } from './topograph-model.ts'

/** Options of a file that lists hosts, as in a spec: `host=ip,levels=DSW,PSW,ASW,block=nvl,parents=8,48`. */
export interface HostFileOptions extends LinkCounts {
  readonly host?: string | undefined
  readonly levels?: ReadonlyArray<string> | undefined
  readonly block?: string | undefined
}

/** Kinds of files that list hosts, as in a spec (`table:FILE`), with the options of each kind. */
export const hostFileOptions: Readonly<Record<string, ReadonlyArray<keyof HostFileOptions>>> = {
  table: ['host', 'levels', 'block', 'parents', 'cables'],
  topograph: ['parents', 'cables'],
  k8s: ['levels', 'block', 'parents', 'cables'],
  aws: ['parents', 'cables'],
}

/**
 * Builds the topology of a file of one of the kinds in `hostFileOptions`.
 *
 * @param name name of the topology, and of the file in errors
 * @param parseYaml reads a YAML document, for a model of topograph
 * @throws TopologyError with the place of the fault
 */
export function topologyOfHostFile(
  kind: string,
  text: string,
  name: string,
  options: HostFileOptions,
  parseYaml: (text: string) => ParsedYaml,
): Topology {
  if (kind === 'table') return parseHostTable(text, name, options)
  if (kind === 'k8s') return parseNodeLabels(text, name, options)
  if (kind === 'aws') return parseInstanceTopology(text, name, options)
  if (!/^\uFEFF?\s*\{/.test(text)) return topologyOfModel(parseYaml(text), name, options)
  const value = jsonOf(text, name)
  const isGraph = typeof value === 'object' && value !== null && 'instances' in value
  return isGraph ? topologyOfGraph(value, name, options) : topologyOfModel({ value }, name, options)
}
