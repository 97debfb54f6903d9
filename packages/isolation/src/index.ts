/** Search for partitions. A partition has nodes and links for one job, with the bandwidth of a dedicated fat tree. */
export { PartitionConfig, type Search } from './search.ts'
export {
  type AcrossPods,
  partitionPlacer,
  type PartitionIndex,
  type PartitionRules,
  unevenPlacer,
  type UnevenPlacer,
} from './partition-placer.ts'
export { PlacementIds } from './placement-ids.ts'
export { UnevenPods } from './uneven-pods.ts'
export { WholeLeaves } from './whole-leaves.ts'
export { shareLinks, Sharing } from './sharing.ts'
export type { FreeIndex, TreeShape } from './free-index.ts'
export { addLowest, count } from './slots.ts'
