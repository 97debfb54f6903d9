/** The records of a log, as parsed JSON. SPEC.md gives their meaning and their exact spelling. Times `t` are seconds with at most 3 decimals. */

export interface Header {
  readonly seq: 0
  readonly type: 'header'
  readonly format: 'cloister-log'
  readonly version: 1
  readonly topology: TopologyRef
  readonly workload: WorkloadRef
  readonly policy: PolicyRef
  readonly queue: QueueRef
  readonly walltime: 'exact' | 'trace'
  readonly overrun: 'run-on' | 'kill'
  readonly arrivals: string
  readonly scenario: string
  readonly router: string | null
  readonly seed: number
  /** Whether `refuse` records and placement notes are written. */
  readonly decisions: boolean
  readonly seal_every: number
  readonly program: string
  /** How run times depend on where jobs run; absent where they do not. */
  readonly run_times?: string
  /** Unix seconds of t = 0. */
  readonly epoch?: number
  /** Node names in id order, as a hostlist: `cab[1-14,16-19]`. */
  readonly names?: string
  readonly x?: JsonObject
}
/** `pgft` for regular trees, else `graph`: the switch graph itself, so that a log needs no other file. */
export type TopologyRef =
  | {
      readonly name: string
      readonly pgft: {
        readonly m: ReadonlyArray<number>
        readonly w: ReadonlyArray<number>
        readonly p: ReadonlyArray<number>
      }
    }
  | { readonly name: string; readonly graph: GraphRef }
/** `leaves`: number of nodes of each leaf; `parents[level][sw]`: for each switch below the top its parents, one per link. */
export interface GraphRef {
  readonly leaves: ReadonlyArray<number>
  readonly parents: ReadonlyArray<ReadonlyArray<ReadonlyArray<number>>>
}
export interface WorkloadRef {
  readonly name: string
  readonly source_sha256?: string
  readonly filter: string
  readonly jobs: number
  readonly sha256: string
}
/** `link_capacity`: MB/s that jobs may hold together on one link, where `claims.links` is capped. */
export interface PolicyRef {
  readonly name: string
  readonly version: string
  readonly config: JsonObject
  readonly claims: ClaimsRef
  readonly link_capacity?: number
}
/** What the policy promised; the same fields as the policy contract's claims. */
export interface ClaimsRef {
  readonly links: 'owned' | 'capped' | 'rule' | 'none'
  readonly rule?: string
  readonly fullBandwidth: boolean
  readonly exactSize: boolean
  readonly monotone: boolean
  readonly complete: boolean
  readonly speedup: boolean
}
/** `kill`: at the time of the reservation, backfilled jobs in its way are killed. `requeue`: what was killed for a reservation or a failure waits again. */
export interface QueueRef {
  readonly order: 'submit' | 'walltime' | 'size'
  readonly backfill: 'none' | 'easy' | 'conservative'
  readonly window?: number
  readonly kill?: true
  readonly requeue?: true
}

export interface Submit {
  readonly seq: number
  readonly t: number
  readonly type: 'submit'
  readonly job: string
  readonly size: number
  readonly walltime?: number
  readonly name?: string
  readonly bw?: number
  readonly comm?: { readonly pattern: string; readonly share: number }
}
export interface Cancel {
  readonly seq: number
  readonly t: number
  readonly type: 'cancel'
  readonly job: string
}
export interface Finish {
  readonly seq: number
  readonly t: number
  readonly type: 'finish'
  readonly job: string
  readonly cause: number
  readonly status?: 'failed'
}
export interface Down {
  readonly seq: number
  readonly t: number
  readonly type: 'down' | 'up'
  readonly nodes: string
  readonly links?: ReadonlyArray<string>
}
export interface Reserve {
  readonly seq: number
  readonly t: number
  readonly type: 'reserve'
  readonly job: string
  readonly start: number
  readonly nodes: string
  readonly links?: ReadonlyArray<string>
  readonly bw?: number
  readonly cause: number
}
export interface Unreserve {
  readonly seq: number
  readonly t: number
  readonly type: 'unreserve'
  readonly job: string
  readonly for: number
  readonly cause: number
}
export interface Allocate {
  readonly seq: number
  readonly t: number
  readonly type: 'allocate'
  readonly job: string
  readonly nodes: string
  readonly links?: ReadonlyArray<string>
  readonly ranks?: ReadonlyArray<number>
  readonly bw?: number
  readonly walltime?: number
  readonly backfill?: number
  readonly note?: Json
  readonly cause: number
}
export interface Release {
  readonly seq: number
  readonly t: number
  readonly type: 'release'
  readonly job: string
  readonly cause: number
}
export interface Route {
  readonly seq: number
  readonly t: number
  readonly type: 'route'
  readonly job: string
  readonly op: 'add' | 'remove'
  readonly scheme: string
  readonly entries: number
  readonly digest: string
  readonly cause: number
}
export interface Kill {
  readonly seq: number
  readonly t: number
  readonly type: 'kill'
  readonly job: string
  readonly why: 'walltime' | 'reservation' | 'node-down' | 'cancel'
  readonly cause: number
}
export interface Requeue {
  readonly seq: number
  readonly t: number
  readonly type: 'requeue'
  readonly job: string
  readonly cause: number
}
export interface Reject {
  readonly seq: number
  readonly t: number
  readonly type: 'reject'
  readonly job: string
  readonly why: string
  readonly constraint: string
  readonly cause: number
}
export interface Refuse {
  readonly seq: number
  readonly t: number
  readonly type: 'refuse'
  readonly job: string
  readonly code: string
  readonly constraint: string
  readonly nearest?: Json
  readonly cause: number
}
export interface Seal {
  readonly seq: number
  readonly t: number
  readonly type: 'seal'
  readonly state: string
  readonly hash: string
}
export interface End {
  readonly seq: number
  readonly t: number
  readonly type: 'end'
  readonly submitted: number
  readonly started: number
  readonly finished: number
  readonly rejected: number
  readonly killed: number
  readonly cancelled: number
}

export type LogRecord =
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
  | Seal
  | End

export type Json = string | number | boolean | null | ReadonlyArray<Json> | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}
