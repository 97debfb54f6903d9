/**
 * Records of a log, as parsed JSON. SPEC.md gives the meaning and the exact spelling. Times `t` are seconds with at
 * most 3 decimals.
 */
import type { ObjectOf } from './kinds.ts'
import type { RecordTable } from './table.ts'

export type { Json, JsonObject } from './json.ts'

/** First fields of all records except the header. */
interface Line<Type extends keyof RecordTable> {
  /** Number of the line, from 0. */
  readonly seq: number
  readonly t: number
  readonly type: Type
}
type Body<Type extends keyof RecordTable> = ObjectOf<RecordTable[Type]>

/** First record: the description of the run. */
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
/** A decision: a job gets a reservation with a start time. */
export interface Reserve extends Line<'reserve'>, Body<'reserve'> {}
/** A decision: a job's reservation is given up. */
export interface Unreserve extends Line<'unreserve'>, Body<'unreserve'> {}
/** A decision: a job starts on nodes and links. */
export interface Allocate extends Line<'allocate'>, Body<'allocate'> {}
/** An ended job returns its allocation. */
export interface Release extends Line<'release'>, Body<'release'> {}
/** The router adds or removes a job's routes. */
export interface Route extends Line<'route'>, Body<'route'> {}
/** A decision or its effect: a running job is killed. */
export interface Kill extends Line<'kill'>, Body<'kill'> {}
/** A killed job waits again. */
export interface Requeue extends Line<'requeue'>, Body<'requeue'> {}
/** A decision: a job that can never be placed leaves the queue. */
export interface Reject extends Line<'reject'>, Body<'reject'> {}
/** A refusal, written on demand: the reason why a job was not started or reserved. */
export interface Refuse extends Line<'refuse'>, Body<'refuse'> {}
/** The rate of a running job changes. */
export interface Progress extends Line<'progress'>, Body<'progress'> {}
/** A decision was not carried out. */
export interface Withdraw extends Line<'withdraw'>, Body<'withdraw'> {}
/** A policy failed at a request. */
export interface Fault extends Line<'fault'>, Body<'fault'> {}
/** Nobody observed the scheduler for some time. */
export interface Gap extends Line<'gap'>, Body<'gap'> {}
/** Digests of the state, and of the bytes since the previous seal. */
export interface Seal extends Line<'seal'>, Body<'seal'> {}
/** Last record before the final seal: the totals. */
export interface End extends Line<'end'>, Body<'end'> {}

/** Topology of a header: a name, and the shape or switch graph of the machine. */
export type TopologyRef = Header['topology']
/** Workload of a header: name, filter, number of jobs, checksums. */
export type WorkloadRef = Header['workload']
/** Policy of a header: name, version, config and claims. */
export type PolicyRef = Header['policy']
/** Claims of the policy, named as in the policy contract but in snake_case. */
export type ClaimsRef = PolicyRef['claims']
/** Options of the run in a header, named as in an experiment. Absent options have their defaults. */
export type OptionsRef = Header['options']

/** Any record that a log can hold. */
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

/** Stand-in for a record of a type that a newer revision added. No reader needs the content of the record. */
export interface Unknown {
  readonly seq: number
  readonly t: number
  readonly type: 'unknown'
  /** Type of the record in the log. */
  readonly name: string
}

/** Record as a reader gives it. */
export type LogRecord = Written | Unknown
