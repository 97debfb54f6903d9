export { type BoundOrder, bindOrder, OrderError, orderDefects, orderingDefect } from './bind.ts'
export type {
  OrderClaims,
  OrderedMachine,
  Ordering,
  QueueOrder,
  QueueView,
  RunColumns,
  WaitingColumns,
} from './contract.ts'
