/** The placement-policy contract, version 2. Types only: nothing here exists at run time. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Topology } from '@cloister/topology'
import type { StateView } from './view.ts'

/** What a policy promises on this topology; the auditor and `policySuite` hold it to every one of them. */
export interface Claims {
  /** owned: every link a job can use is listed. capped: shared up to a cap. rule: kept apart by `rule`. shared: others may use them. */
  readonly links: 'owned' | 'capped' | 'rule' | 'shared'
  /** Named set of extra checks in the auditor: 'jigsaw-conditions', 'laas', 'ta'. Unknown names are reported as unchecked. */
  readonly rule?: string
  /** The allocation is rearrangeable non-blocking: any permutation of its nodes has routes with one flow a link. */
  readonly fullBandwidth: boolean
  /** allocated === requested; else allocated >= requested and the difference is internal fragmentation. */
  readonly exactSize: boolean
  /** A request refused in a state is refused in every state with less free. */
  readonly monotone: boolean
  /** Finds a placement whenever its class has one: refusal 'no-placement' is then a proof. */
  readonly complete: boolean
  /** Speed-up scenarios apply. */
  readonly speedupScenarios: boolean
}

/** `bytes[i][j]`: what rank i sends to rank j; what a rank sends to itself does not count. A row for each rank. */
export type ByteMatrix = ReadonlyArray<ArrayLike<number>>

/** A communication matrix. The log names it and has its checksum, not its contents. */
export interface CommunicationMatrix {
  /** The job's pattern is `matrix:` and this name. */
  readonly name: string
  /** SHA-256 (hex) of the file it was read from. Equal checksums are equal matrices. */
  readonly sha256: string
  readonly bytes: ByteMatrix
}

/** How the ranks of a job communicate, one rank a node. */
export interface Communication {
  /** A name that is known, or `matrix:` and the name of `matrix`. */
  readonly pattern: string
  /** Of the run time spent communicating, in 1/1000. */
  readonly share: number
  /** What the pattern names, where it is a matrix and that is at hand: of as many ranks as the request has nodes. */
  readonly matrix?: CommunicationMatrix
}

/** One job as a scheduler sees it. Times are integer milliseconds; no field depends on the real run time. */
export interface Request {
  /** To start now; to reserve, in the state expected at a later instant; to start now on what a reservation leaves free. */
  readonly purpose: 'start' | 'reserve' | 'backfill'
  readonly job: string
  readonly nodes: number
  /** The instant of the scheduling pass, also where the state is what it will be later. */
  readonly now: number
  /** In a what-if: the instant of the scheduling pass, which asks; `now` once more. */
  readonly decidedAt?: number
  /** In a what-if: when the job would start, the instant at which the state is expected to be as it is. */
  readonly startsAt?: number
  /** When the job was submitted: for the first time, if it was requeued since. */
  readonly submitted: number
  /** How long the scheduler expects the job to run, from its start. */
  readonly estimate: number | undefined
  /** MB/s wanted on every link, integer. */
  readonly bandwidth: number | undefined
  readonly communication: Communication | undefined
}

/** Dense ids, strictly ascending, each once. The caller may keep the arrays: a policy never writes to them again. */
export interface Placement {
  readonly ok: true
  readonly nodes: ArrayLike<number>
  /** Owned links per level: `links[0]` leaf up-ports, `links[1]` L2 up-ports, …; shorter where the upper levels hold none. */
  readonly links: ReadonlyArray<ArrayLike<number>>
  /** Node of each rank, where their order matters. */
  readonly ranks?: ArrayLike<number>
  /** MB/s held on each of `links`, where claims.links is 'capped'. */
  readonly bandwidth?: number
  /** Small, JSON, deterministic: why here, such as the score of the choice. Goes to the log when asked for. */
  readonly note?: Json
}

/** Why not. `code` is closed; `constraint` and `nearest` are for people and for `explain`. */
export type Refusal =
  | { readonly ok: false; readonly code: 'too-few-nodes'; readonly free: number }
  | { readonly ok: false; readonly code: 'no-placement'; readonly constraint: string; readonly nearest?: Json }
  /** Gave up after `steps`; proves nothing, never remembered. */
  | { readonly ok: false; readonly code: 'search-bound'; readonly steps: number }
  /** Can never run on this topology under this config, whatever is free. */
  | { readonly ok: false; readonly code: 'never'; readonly constraint: string }

/** A policy's answer to a request. */
export type Outcome = Placement | Refusal

/** Any JSON value. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** One policy bound to one topology and config. `place` SHALL be a function of (state contents, request) alone. */
export interface Placer<Index = undefined> {
  readonly claims: Claims
  /** MB/s that jobs may hold together on one link, where claims.links is 'capped'. */
  readonly linkCapacity?: number
  place(state: StateView, request: Request, index: Index): Outcome
  /** Refusals are remembered under this key; default: String(request.nodes). undefined: do not remember. */
  requestKey?(request: Request): string | number | undefined
  /** Whether requests of one key and purpose are also placed alike in a state: the scheduler need not ask for each. Default: no. */
  readonly placesByKey?: boolean
  /**
   * A bound: no request of more nodes can be placed in a state, whatever else it asks for. Cheap, for the scheduler asks it before
   * it asks `place`, and skips what is larger. Default: all that are free.
   */
  mostNodes?(state: StateView, index: Index): number
  /** Data derived from a state to make `place` fast. The kernel keeps one per state, forks included. */
  readonly index?: IndexHooks<Index>
}

/** SHALL leave what `build` would give: `policySuite` compares. */
export interface IndexHooks<Index> {
  build(state: StateView): Index
  /** Make `into` equal to `from` without allocating: forks are taken at every scheduling pass. */
  copy(from: Index, into: Index): void
  /** Leaves and L2 switches whose nodes or ports changed, ascending. Also for withheld and failed resources. */
  changed(index: Index, state: StateView, leaves: ArrayLike<number>, upper: ArrayLike<number>): void
}

/** A placement policy: what a policy package exports as its default. */
export interface PlacementPolicy<Config, Index = undefined> {
  readonly contract: 2
  /** The same policy under other versions of the contract: a program takes the newest one that it serves. */
  readonly alternatives?: ReadonlyArray<{ readonly contract: number }>
  /** Lower case, digits, '-'; what the command line and the log call it. */
  readonly name: string
  /** Equal to the package's version. */
  readonly version: string
  /** Any Standard Schema (Effect: Schema.toStandardSchemaV1). Validates synchronously, fills every default. */
  readonly config: StandardSchemaV1<unknown, Config>
  make(topology: Topology, config: Config): Placer<Index> | { readonly unsupported: string }
}
