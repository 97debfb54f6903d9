export type { PgftShape, SwitchLevel, Topology } from './topology.ts'
export { type ErrorPlace, TopologyError } from './topology-error.ts'
export { pgft, formatPgft } from './pgft.ts'
export { type SwitchGraph, switchGraph } from './switch-graph.ts'
export { fabricOfSpec, fileOfSpec, parseTopology, topologySpecs } from './spec.ts'
export { describeIrregularity, recognisePgft } from './regular/recognise-pgft.ts'
export { parseIbnetdiscover } from './infiniband/parse-ibnetdiscover.ts'
export { type FabricPorts, fabricPorts } from './infiniband/fabric-ports.ts'
export { formatIbnetdiscover } from './infiniband/format-ibnetdiscover.ts'
export type { HostChoice } from './infiniband/compute-hosts.ts'
export { parseSlurmTopology } from './slurm/slurm-topology.ts'
export { formatTopologyConf } from './slurm/format-topology-conf.ts'
export { formatTopologyYaml } from './slurm/format-topology-yaml.ts'
export { type ParsedYaml, topologyOfYaml } from './slurm/topology-yaml.ts'
export { topologyFromJson, type TopologyJson, topologyToJson } from './topology-json.ts'
export {
  cableOf,
  isFullBisection,
  linkId,
  parentOf,
  portOfLink,
  switchOfLink,
  type Taper,
  tapersOf,
  upPorts,
} from './wiring/links.ts'
export { type DownPorts, downPorts } from './wiring/ports.ts'
export { leavesBelow, lowestCommonLevel } from './wiring/ancestry.ts'
export { type Coordinates, coordinates, switchAt } from './wiring/coordinates.ts'
export { nodeName, switchName, withNodeNames } from './names/names.ts'
export { formatHostlist, HostlistError, parseHostlist } from './names/hostlist.ts'
export { formatIdset, IdsetError, parseIdset, parseIdsetLenient } from './idsets/idset.ts'
export { IdBuffer } from './idsets/id-buffer.ts'
export { base64url } from './base64url.ts'
export { consecutiveGroups } from './consecutive-groups.ts'
export { KeyedHeap } from './keyed-heap.ts'
export { lowerBound } from './lower-bound.ts'
export { seededDraws } from './seeded-draws.ts'
export { idsetIncludes, intersectIdsets, subtractIdsets, unionIdsets } from './idsets/idset-algebra.ts'
