import { jsonOf } from '../read-values.ts'
import type { LinkCounts } from '../slurm/switch-tree.ts'
import type { ParsedYaml } from '../slurm/topology-yaml.ts'
import { parseColumns } from '../tables.ts'
import { TopologyError } from '../topology-error.ts'
import type { Topology } from '../topology.ts'
import { parseFluxResources } from './flux-resources.ts'
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
  flux: ['parents', 'cables'],
}

/** Spec of a file of one of these kinds: the kind, the path of the file, and the text of the options. */
export const HOST_FILE: RegExp =
  /^(topograph|table|k8s|aws|flux):(.*?)(?:,((?:host|levels|block|parents|cables)=.*))?$/s

/**
 * Reads the options of a file in a spec.
 *
 * @param countsOf reads the numbers of the option `parents` or `cables`
 * @throws TableError or TopologyError for an option that the kind does not have, and for wrong values
 */
export function optionsOfHostFile(
  kind: string,
  text: string | undefined,
  countsOf: (option: string, texts: ReadonlyArray<string> | undefined) => ReadonlyArray<number> | undefined,
): HostFileOptions {
  if (text === undefined) return {}
  const given = parseColumns(text, hostFileOptions[kind])
  const one = (option: string): string | undefined => {
    const [column, ...more] = given.get(option) ?? []
    if (more.length > 0) throw new TopologyError(`expected one name, found ${more.length + 1}`, { field: option })
    return column
  }
  return {
    host: one('host'),
    levels: given.get('levels'),
    block: one('block'),
    parents: countsOf('parents', given.get('parents')),
    cables: countsOf('cables', given.get('cables')),
  }
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
  if (kind === 'flux') return parseFluxResources(text, name, options)
  if (!/^\uFEFF?\s*\{/.test(text)) return topologyOfModel(parseYaml(text), name, options)
  const value = jsonOf(text, name)
  const isGraph = typeof value === 'object' && value !== null && 'instances' in value
  return isGraph ? topologyOfGraph(value, name, options) : topologyOfModel({ value }, name, options)
}
