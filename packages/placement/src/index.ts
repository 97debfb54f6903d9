export type {
  Claims, IndexHooks, Json, Outcome, Placement, PlacementPolicy, Placer, Refusal, Request,
} from './contract.ts'
export type { StateView } from './view.ts'
