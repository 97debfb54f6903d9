export { parseColumns, TableError } from './tables.ts'
export type { Envelope, NodeBlock, PgftShape, Rails, SwitchLevel, Topology } from './topology.ts'
export { type ErrorPlace, TopologyError } from './topology-error.ts'
export { type Coordinates, coordinates, formatPgft, pgft, switchAt } from './pgft.ts'
export { missingCables, portInTree, switchInTree, wholeShape } from './absent-parts.ts'
export { formatAbsent } from './absent-text.ts'
export { describeRails, type Fabric, fabricSwitches, inRails, nameWithRails, railCount, wholeFabric } from './rails.ts'
export { type SwitchGraph, switchGraph } from './switch-graph.ts'
export { fabricOfSpec, filesOfSpec, parseTopology, topologySpecs } from './spec.ts'
export { describeIrregularity, recognisePgft } from './recognise-pgft.ts'
export { type HostChoice, parseIbnetdiscover } from './infiniband/fabric-topology.ts'
export { type FabricPorts, fabricPorts } from './infiniband/fabric-ports.ts'
export { formatIbnetdiscover } from './infiniband/ibnetdiscover.ts'
export { parseSlurmTopology } from './slurm/switch-tree.ts'
export { formatTopologyConf } from './slurm/topology-conf.ts'
export { formatTopologyYaml, type ParsedYaml, topologyOfYaml } from './slurm/topology-yaml.ts'
export { topologyFromJson, type TopologyJson, topologyToJson } from './topology-json.ts'
export {
  cableOf,
  consecutiveGroups,
  type DownPorts,
  downPorts,
  portCounts,
  isFullBisection,
  leavesBelow,
  linkId,
  lowestCommonLevel,
  parentOf,
  portOfLink,
  switchOfLink,
  describeTaper,
  levelName,
  type Taper,
  tapersOf,
  taperText,
  upPorts,
} from './wiring.ts'
export { type Ratio, type Share, shareOf } from './share.ts'
export {
  countHostlist,
  formatHostlist,
  HostlistError,
  linkName,
  nodeName,
  parseHostlist,
  switchName,
  switchNames,
  withNodeNames,
  withSwitchNames,
} from './names.ts'
export {
  formatIdset,
  IdBuffer,
  IdsetError,
  idsetIncludes,
  idsetSize,
  intersectIdsets,
  lowerBound,
  parseIdset,
  parseIdsetLenient,
  subtractIdsets,
  unionIdsets,
} from './idsets.ts'
export { base64url, seededDraws } from './digests-and-draws.ts'
export { KeyedHeap } from './keyed-heap.ts'
