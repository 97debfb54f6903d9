export type { Allocation, Resources } from './allocation.ts'
export { placementDefect } from './allocation.ts'
export type { BoundPolicy } from './bind.ts'
export { bindPolicy, PolicyError } from './bind.ts'
export { lowBits, popcount, wordsFor } from './bits.ts'
export type {
  ByteMatrix,
  Claims,
  Communication,
  CommunicationMatrix,
  IndexHooks,
  Json,
  Outcome,
  Placement,
  PlacementPolicy,
  Placer,
  Refusal,
  Request,
} from './contract.ts'
export { contractDefect } from './contract-version.ts'
export type { Mapper } from './mapper.ts'
export { outcomeDefect } from './outcome-defect.ts'
export type { ForwardingTables, RouteChange, Router, Routes } from './router.ts'
export type { StateOptions } from './state-options.ts'
export { ClusterState } from './state.ts'
export { StateError } from './state-error.ts'
export type { StateView } from './view.ts'
