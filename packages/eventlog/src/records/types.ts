/** The records of a log, as parsed JSON. SPEC.md gives their meaning and their exact spelling. Times `t` are seconds with at most 3 decimals. */
import type { ObjectOf } from './kinds.ts'
import type { RecordTable } from './table.ts'

export type { Json, JsonObject } from './json.ts'
export type { RunTimesRef } from './kinds.ts'

/** What all records but the header begin with. */
interface Line<Type extends keyof RecordTable> {
  /** The number of the line, from 0. */
  readonly seq: number
  readonly t: number
  readonly type: Type
}
type Body<Type extends keyof RecordTable> = ObjectOf<RecordTable[Type]>

/** The first record: what was run, and how. */
export interface Header extends Body<'header'> {
  readonly seq: 0
  readonly type: 'header'
}
/** An input: a job is submitted. */
export interface Submit extends Line<'submit'>, Body<'submit'> {}
/** An input: a user cancels a job. */
export interface Cancel extends Line<'cancel'>, Body<'cancel'> {}
/** An input: a job ends by itself. */
export interface Finish extends Line<'finish'>, Body<'finish'> {}
/** An input: nodes and links go down, or come up again. */
export interface Down extends Line<'down' | 'up'>, Body<'down'> {}
/** A decision: a job has a reservation from a time on. */
export interface Reserve extends Line<'reserve'>, Body<'reserve'> {}
/** A decision: a job's reservation is given up. */
export interface Unreserve extends Line<'unreserve'>, Body<'unreserve'> {}
/** A decision: a job starts on nodes and links. */
export interface Allocate extends Line<'allocate'>, Body<'allocate'> {}
/** A job that ended gives back what it was allocated. */
export interface Release extends Line<'release'>, Body<'release'> {}
/** The router adds or removes a job's routes. */
export interface Route extends Line<'route'>, Body<'route'> {}
/** A decision or its effect: a running job is killed. */
export interface Kill extends Line<'kill'>, Body<'kill'> {}
/** A killed job waits again. */
export interface Requeue extends Line<'requeue'>, Body<'requeue'> {}
/** A decision: a job that can never be placed leaves the queue. */
export interface Reject extends Line<'reject'>, Body<'reject'> {}
/** On demand: why a job was not started or reserved. */
export interface Refuse extends Line<'refuse'>, Body<'refuse'> {}
/** The rate of a running job changes. */
export interface Progress extends Line<'progress'>, Body<'progress'> {}
/** A decision was not carried out. */
export interface Withdraw extends Line<'withdraw'>, Body<'withdraw'> {}
/** A policy failed at a request. */
export interface Fault extends Line<'fault'>, Body<'fault'> {}
/** The observer was away. */
export interface Gap extends Line<'gap'>, Body<'gap'> {}
/** Digests of the state and of the bytes since the seal before. */
export interface Seal extends Line<'seal'>, Body<'seal'> {}
/** The last record before the last seal: the totals. */
export interface End extends Line<'end'>, Body<'end'> {}

/** The header's topology: a preset or shape by name, with what builds it. */
export type TopologyRef = Header['topology']
/** The header's workload: name, filter, number of jobs, checksums. */
export type WorkloadRef = Header['workload']
/** The header's policy: name, version, config and claims. */
export type PolicyRef = Header['policy']
/** What the policy promised: the claims of the policy contract in snake_case. */
export type ClaimsRef = PolicyRef['claims']
/** The header's queue discipline, with all its options. */
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

/** A record as readers get it. */
export type LogRecord = Written | Unknown
