/** The records of a log, as parsed JSON. SPEC.md gives their meaning and their exact spelling. Times `t` are seconds with at most 3 decimals. */

export interface Header {
  readonly seq: 0
  readonly type: 'header'
  readonly format: 'cloister-log'
  readonly version: 2
  /** Counts the additions to the version that a reader may ignore. */
  readonly revision: number
  /** Names of the features that a reader must know, ascending. */
  readonly requires?: ReadonlyArray<string>
  /** A simulator's run; a run of somebody else's scheduler, watched; a run of a scheduler that this program drove. */
  readonly origin: 'simulated' | 'observed' | 'driven'
  readonly topology: TopologyRef
  readonly link_classes?: ReadonlyArray<LinkClass>
  readonly workload: WorkloadRef
  readonly policy: PolicyRef
  readonly queue: QueueRef
  /** What the scheduler believed of a job's run time: the run time itself, or what its user requested. */
  readonly estimates: 'exact' | 'requested'
  readonly overrun: 'run-on' | 'kill'
  readonly arrivals: string
  readonly scenario: string
  /** How jobs were drawn into bandwidth classes; absent where they were not. */
  readonly bandwidth?: string
  /** How jobs were made to communicate; absent where they were not. */
  readonly communication?: string
  readonly router: string | null
  readonly seed: number
  /** Whether `refuse` records and placement notes are written. */
  readonly refusals: boolean
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
/** Links of one capacity, MB/s; `links` as a record has them, one idset a level. */
export interface LinkClass {
  readonly name: string
  readonly capacity: number
  readonly links: ReadonlyArray<string>
}
export interface WorkloadRef {
  readonly name: string
  readonly source_sha256?: string
  readonly filter: string
  readonly jobs: number
  readonly sha256: string
  /** The communication matrices that jobs name, with the SHA-256 of each. */
  readonly matrices?: ReadonlyArray<{ readonly name: string; readonly sha256: string }>
}
/** `link_capacity`: MB/s that jobs may hold together on one link, where `claims.links` is capped. */
export interface PolicyRef {
  readonly name: string
  readonly version: string
  readonly config: JsonObject
  readonly claims: ClaimsRef
  readonly link_capacity?: number
}
/** What the policy promised; the claims of the policy contract in snake_case. */
export interface ClaimsRef {
  readonly links: 'owned' | 'capped' | 'rule' | 'shared'
  readonly rule?: string
  readonly full_bandwidth: boolean
  readonly exact_size: boolean
  readonly monotone: boolean
  readonly complete: boolean
  readonly speedup_scenarios: boolean
}
/** `external`: somebody else's scheduler decided. `kill`: at the time of the reservation, backfilled jobs in its way are killed. `requeue`: what was killed for a reservation or a failure waits again. */
export interface QueueRef {
  readonly order: 'submit' | 'estimate' | 'size'
  readonly backfill: 'none' | 'easy' | 'conservative' | 'external'
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
  readonly estimate?: number
  /** What the user asked for, where that is another time than the estimate. */
  readonly walltime?: number
  readonly name?: string
  readonly user?: string
  readonly account?: string
  readonly queue?: string
  readonly bandwidth?: number
  readonly communication?: { readonly pattern: string; readonly share: number }
  /** When it happened, where `t` is when it was learned; so in every record. */
  readonly happened?: number
}
export interface Cancel {
  readonly seq: number
  readonly t: number
  readonly type: 'cancel'
  readonly job: string
  readonly happened?: number
}
export interface Finish {
  readonly seq: number
  readonly t: number
  readonly type: 'finish'
  readonly job: string
  readonly cause: number
  readonly status?: 'failed'
  readonly happened?: number
}
export interface Down {
  readonly seq: number
  readonly t: number
  readonly type: 'down' | 'up'
  readonly nodes: string
  readonly links?: ReadonlyArray<string>
  readonly happened?: number
}
export interface Reserve {
  readonly seq: number
  readonly t: number
  readonly type: 'reserve'
  readonly job: string
  readonly start: number
  readonly nodes: string
  readonly links?: ReadonlyArray<string>
  readonly bandwidth?: number
  readonly cause: number
  readonly happened?: number
}
export interface Unreserve {
  readonly seq: number
  readonly t: number
  readonly type: 'unreserve'
  readonly job: string
  readonly for: number
  readonly cause: number
  readonly happened?: number
}
export interface Allocate {
  readonly seq: number
  readonly t: number
  readonly type: 'allocate'
  readonly job: string
  readonly nodes: string
  readonly links?: ReadonlyArray<string>
  readonly ranks?: ReadonlyArray<number>
  readonly bandwidth?: number
  readonly estimate?: number
  readonly backfill?: number
  readonly note?: Json
  readonly cause: number
  readonly happened?: number
}
export interface Release {
  readonly seq: number
  readonly t: number
  readonly type: 'release'
  readonly job: string
  readonly cause: number
  readonly happened?: number
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
  readonly happened?: number
}
export interface Kill {
  readonly seq: number
  readonly t: number
  readonly type: 'kill'
  readonly job: string
  readonly code: 'estimate' | 'reservation' | 'node-down' | 'cancel'
  readonly cause: number
  readonly happened?: number
}
export interface Requeue {
  readonly seq: number
  readonly t: number
  readonly type: 'requeue'
  readonly job: string
  readonly cause: number
  readonly happened?: number
}
export interface Reject {
  readonly seq: number
  readonly t: number
  readonly type: 'reject'
  readonly job: string
  readonly code: string
  readonly constraint: string
  readonly cause: number
  readonly happened?: number
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
  readonly happened?: number
}
export interface Progress {
  readonly seq: number
  readonly t: number
  readonly type: 'progress'
  readonly job: string
  /** In 1/1000 of the rate at which it would run by itself. */
  readonly rate: number
  readonly cause: number
  readonly happened?: number
}
export interface Withdraw {
  readonly seq: number
  readonly t: number
  readonly type: 'withdraw'
  readonly job: string
  /** Seq of the decision that was never carried out. */
  readonly of: number
  readonly cause: number
  readonly happened?: number
}
export interface Fault {
  readonly seq: number
  readonly t: number
  readonly type: 'fault'
  readonly job: string
  readonly purpose: string
  readonly request: Json
  readonly message: string
  readonly cause: number
}
export interface Gap {
  readonly seq: number
  readonly t: number
  readonly type: 'gap'
  readonly since: number
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

/** Stands for a record of a type that a newer revision added: nobody has to know what it says. */
export interface Unknown {
  readonly seq: number
  readonly t: number
  readonly type: 'unknown'
  /** The type that the log gives it. */
  readonly name: string
}

export type LogRecord = Written | Unknown

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

export type Json = string | number | boolean | null | ReadonlyArray<Json> | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}
