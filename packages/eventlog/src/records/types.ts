/** Records of a log, as parsed JSON (SPEC.md). The time `t` of a record is in seconds, with at most 3 decimals. */
import type { ObjectOf } from './kinds.ts'
import type { RecordTable } from './table.ts'

export type { Json, JsonObject } from './kinds.ts'

interface Line<Type extends keyof RecordTable> {
  /** Number of the record's line in the log, from 0. */
  readonly seq: number
  readonly t: number
  readonly type: Type
}
type Body<Type extends keyof RecordTable> = ObjectOf<RecordTable[Type]>

/** First record of a log: the description of the run. */
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
/** A decision: the scheduler takes back a job's reservation. */
export interface Unreserve extends Line<'unreserve'>, Body<'unreserve'> {}
/** A decision: a job starts on nodes and links. */
export interface Allocate extends Line<'allocate'>, Body<'allocate'> {}
/** An ended job returns its allocation. */
export interface Release extends Line<'release'>, Body<'release'> {}
/** The forwarding tables change: entries enter the tables, or the entries of an earlier record leave the tables. */
export interface Route extends Line<'route'>, Body<'route'> {}
/** A running job is killed: by a decision of the scheduler, or because of a failure or a cancel. */
export interface Kill extends Line<'kill'>, Body<'kill'> {}
/** A killed job waits again. */
export interface Requeue extends Line<'requeue'>, Body<'requeue'> {}
/** A decision: a job that can never be placed leaves the queue. */
export interface Reject extends Line<'reject'>, Body<'reject'> {}
/** Reason why a job did not start or got no reservation. Only logs with the option `refusals` have refuse records. */
export interface Refuse extends Line<'refuse'>, Body<'refuse'> {}
/** The rate of a running job changes, because the start or end of another job changed the load of its links. */
export interface Progress extends Line<'progress'>, Body<'progress'> {}
/** A decision was not carried out. */
export interface Withdraw extends Line<'withdraw'>, Body<'withdraw'> {}
/** A policy failed at a request. */
export interface Fault extends Line<'fault'>, Body<'fault'> {}
/** Nobody observed the scheduler for some time. */
export interface Gap extends Line<'gap'>, Body<'gap'> {}
/** Digests of the state, and of the bytes since the previous seal. */
export interface Seal extends Line<'seal'>, Body<'seal'> {}
/** Last record before the final seal: the numbers of submits, starts and ends of jobs. */
export interface End extends Line<'end'>, Body<'end'> {}

/** Field `topology` of a header: a name, and the shape or switch graph of the machine. */
export type TopologyRef = Header['topology']
/** Field `workload` of a header: name, filter, number of jobs, checksums. */
export type WorkloadRef = Header['workload']
/** Field `policy` of a header: name, version, config and claims of the policy. */
export type PolicyRef = Header['policy']
/** Claims of the policy, named as in the policy contract but in snake_case. */
export type ClaimsRef = PolicyRef['claims']
/** Field `options` of a header: the options of the run, named as in an experiment; an absent option has its default. */
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

/** Stand-in for a record of a type that a later revision added: a reader needs only the record's seq, time and type. */
export interface Unknown {
  readonly seq: number
  readonly t: number
  readonly type: 'unknown'
  /** Type of the record in the log. */
  readonly name: string
}

/** Record that a reader returns: a record of a known type, or the stand-in for a record of an unknown type. */
export type LogRecord = Written | Unknown
