/** The records of a log, as parsed JSON. SPEC.md gives their meaning and their exact spelling. Times `t` are seconds with at most 3 decimals. */
import type { ObjectOf } from './kinds.ts'
import type { RecordTable } from './table.ts'

export type { Json, JsonObject } from './json.ts'

/** What all records but the header begin with. */
interface Line<Type extends keyof RecordTable> {
  /** The number of the line, from 0. */
  readonly seq: number
  readonly t: number
  readonly type: Type
}
type Body<Type extends keyof RecordTable> = ObjectOf<RecordTable[Type]>

export interface Header extends Body<'header'> {
  readonly seq: 0
  readonly type: 'header'
}
export interface Submit extends Line<'submit'>, Body<'submit'> {}
export interface Cancel extends Line<'cancel'>, Body<'cancel'> {}
export interface Finish extends Line<'finish'>, Body<'finish'> {}
export interface Down extends Line<'down' | 'up'>, Body<'down'> {}
export interface Reserve extends Line<'reserve'>, Body<'reserve'> {}
export interface Unreserve extends Line<'unreserve'>, Body<'unreserve'> {}
export interface Allocate extends Line<'allocate'>, Body<'allocate'> {}
export interface Release extends Line<'release'>, Body<'release'> {}
export interface Route extends Line<'route'>, Body<'route'> {}
export interface Kill extends Line<'kill'>, Body<'kill'> {}
export interface Requeue extends Line<'requeue'>, Body<'requeue'> {}
export interface Reject extends Line<'reject'>, Body<'reject'> {}
export interface Refuse extends Line<'refuse'>, Body<'refuse'> {}
export interface Progress extends Line<'progress'>, Body<'progress'> {}
export interface Withdraw extends Line<'withdraw'>, Body<'withdraw'> {}
export interface Fault extends Line<'fault'>, Body<'fault'> {}
export interface Gap extends Line<'gap'>, Body<'gap'> {}
export interface Seal extends Line<'seal'>, Body<'seal'> {}
export interface End extends Line<'end'>, Body<'end'> {}

export type TopologyRef = Header['topology']
export type WorkloadRef = Header['workload']
export type PolicyRef = Header['policy']
/** What the policy promised: the claims of the policy contract in snake_case. */
export type ClaimsRef = PolicyRef['claims']
export type QueueRef = Header['queue']

/** What a log holds. */
export type Written =
  | Header
  | Submit
  | Cancel
  | Finish
  | Down
  | Reserve
  | Unreserve
  | Allocate
  | Release
  | Route
  | Kill
  | Requeue
  | Reject
  | Refuse
  | Progress
  | Withdraw
  | Fault
  | Gap
  | Seal
  | End

/** Stands for a record of a type that a newer revision added: nobody has to know what it says. */
export interface Unknown {
  readonly seq: number
  readonly t: number
  readonly type: 'unknown'
  /** The type that the log gives it. */
  readonly name: string
}

export type LogRecord = Written | Unknown
