export type { Allocation, Resources } from './allocations.ts'
export { StateError } from './allocations.ts'
export type { BoundPolicy } from './bind.ts'
export { policyDefects } from './policy-defects.ts'
export { EntryRules, routerDefects, tablesDefect } from './router-defects.ts'
export { bindPolicy, contractDefect, outcomeDefect, placementDefect, PolicyError, readConfig } from './bind.ts'
export type {
  Claims,
  IndexHooks,
  Json,
  Outcome,
  Placement,
  PlacementPolicy,
  Placer,
  Refusal,
  Request,
} from './contract.ts'
export type { StateView } from './view.ts'
export type { ByteMatrix, Communication, CommunicationMatrix, Mapper } from './mapper.ts'
export type { ForwardingTables, RouteChange, Router, RouterClaims, Routes, SwitchEntries } from './router.ts'
export type { IdLayout } from './masks.ts'
export type { MaskedResources } from './bits.ts'
export { lowBits, MASKED, popcount, wordsFor } from './bits.ts'
export { FromMasks, MaskedAllocation, MaskedPlacement, withIds } from './masked-placement.ts'
export type { ResourceMasks } from './resource-masks.ts'
export { checksumOfMasks, MaskBuilder, maskWords } from './resource-masks.ts'
export type { LeafPart } from './leaf-parts.ts'
export { freeNodeIdsOfPart, freeNodesOfPart, partsOfBlocks, partsOfLeaves } from './leaf-parts.ts'
export { onWholeTree } from './whole-tree.ts'
export type { StateOptions } from './state.ts'
export { ClusterState } from './state.ts'
