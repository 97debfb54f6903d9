/**
 * The placement-policy contract, version 1. The file declares types only; nothing here exists at run time.
 *
 * Rule of additions: an optional member of a request, a placer or a placement is an addition that needs no new contract
 * version. A policy may ignore such a member of a request and may leave out such a member of a placer or a placement. A
 * member that a policy must know needs a new contract version.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Topology } from '@cloister/topology'
import type { StateView } from './view.ts'

/** Properties that a policy guarantees on one topology. The auditor and `policySuite` test each claim. */
export interface Claims {
  /**
   * How jobs use links.
   * - owned: a placement lists every link that the job can use, and no other job holds a listed link.
   * - capped: a placement lists links and a bandwidth; the jobs on a link together hold at most `linkCapacity`.
   * - rule: `rule` keeps the jobs apart.
   * - shared: a placement lists no links; any job may use any link.
   */
  readonly links: 'owned' | 'capped' | 'rule' | 'shared'
  /**
   * Name of a set of further checks in the auditor: 'jigsaw-conditions', 'laas', 'nested-remainders' or 'ta'. The
   * auditor reports any other name as untested.
   */
  readonly rule?: string
  /** Each allocation is rearrangeable non-blocking: every permutation of its nodes has routes with one flow a link. */
  readonly fullBandwidth: boolean
  /**
   * True if a placement has exactly the requested number of nodes. If false, a placement may have more nodes; the
   * difference is internal fragmentation.
   */
  readonly exactSize: boolean
  /** A request that is refused in a state is also refused if fewer of the same resources are free. */
  readonly monotone: boolean
  /**
   * The policy finds a placement whenever its class of placements has one. The refusal 'no-placement' is then a proof.
   */
  readonly complete: boolean
  /** Speed-up scenarios shorten the run times of jobs under this policy. */
  readonly speedupScenarios: boolean
}

/** Bytes that rank i sends to rank j, at `[i][j]`. Each rank has one row. The diagonal does not count. */
export type ByteMatrix = ReadonlyArray<ArrayLike<number>>

/** A communication matrix. A log holds the name and the checksum of a matrix, not the bytes. */
export interface CommunicationMatrix {
  /** Name of the matrix. The pattern of the job is `matrix:` followed by this name. */
  readonly name: string
  /** SHA-256 of the file that held the matrix, in hexadecimal. Equal checksums mean equal matrices. */
  readonly sha256: string
  readonly bytes: ByteMatrix
}

/** Communication between the ranks of a job. Each node has one rank. */
export interface Communication {
  /** Name of a known pattern, or `matrix:` followed by the name of a matrix. */
  readonly pattern: string
  /** Share of the run time that the job spends communicating, in 1/1000. */
  readonly share: number
  /**
   * Matrix that the pattern names. The matrix has one rank for each requested node. Undefined if the pattern is not a
   * matrix, or if the caller does not have the matrix.
   */
  readonly matrix?: CommunicationMatrix
}

/** A job as a policy sees the job. Times are integer milliseconds. No field depends on the real run time. */
export interface Request {
  /**
   * Reason for asking.
   * - start: the job would start now.
   * - reserve: a reservation is planned. The state is the state expected at a later instant.
   * - backfill: the job would start now on resources that the reservations leave free.
   */
  readonly purpose: 'start' | 'reserve' | 'backfill'
  readonly job: string
  readonly nodes: number
  /** Instant of the scheduling pass, also if the state is expected at a later instant. */
  readonly now: number
  /** Instant of the scheduling pass, equal to `now`, for the purpose 'reserve'. Otherwise undefined. */
  readonly decidedAt?: number
  /** Planned start of the job for the purpose 'reserve', the instant of the expected state. Otherwise undefined. */
  readonly startsAt?: number
  /** Instant at which the job was submitted. A job that was requeued keeps the instant of the first submission. */
  readonly submitted: number
  /** Run time that the scheduler expects, counted from the start of the job. Undefined if unknown. */
  readonly estimate: number | undefined
  /** Bandwidth that the job wants on every link in MB/s, an integer. Undefined if the job names no bandwidth. */
  readonly bandwidth: number | undefined
  /** Undefined if the job is not communication-intensive. */
  readonly communication: Communication | undefined
}

/**
 * Nodes and links on which a job would run. Ids ascend strictly. The caller may keep the arrays; a policy never writes
 * to returned arrays again.
 */
export interface Placement {
  readonly ok: true
  readonly nodes: ArrayLike<number>
  /**
   * Links of the job at each level: `links[0]` holds up-ports of leaves, `links[1]` up-ports of L2 switches, and so on.
   * The list may end early if the upper levels have no links.
   */
  readonly links: ReadonlyArray<ArrayLike<number>>
  /** Node of each rank. Undefined if the order of the ranks does not matter. */
  readonly ranks?: ArrayLike<number>
  /** Bandwidth of the job on each of `links` in MB/s, if claims.links is 'capped'. Otherwise undefined. */
  readonly bandwidth?: number
  /**
   * Reason for the choice, such as a score: small and deterministic. The log keeps the note if the run asks for notes.
   */
  readonly note?: Json
}

/**
 * Negative answer of a policy. `code` has these four values only. `constraint` names the failed condition and `nearest`
 * describes the nearest miss; both are for people and for `explain`.
 */
export type Refusal =
  | { readonly ok: false; readonly code: 'too-few-nodes'; readonly free: number }
  | { readonly ok: false; readonly code: 'no-placement'; readonly constraint: string; readonly nearest?: Json }
  /** The search ended at its bound, after `steps` steps. The refusal proves nothing and is never remembered. */
  | { readonly ok: false; readonly code: 'search-bound'; readonly steps: number }
  /** The job can never run on this topology under this config, even if every resource is free. */
  | { readonly ok: false; readonly code: 'never'; readonly constraint: string }

/** Answer of a policy to a request. */
export type Outcome = Placement | Refusal

/** Any JSON value. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }

/**
 * A policy bound to one topology and one config. The answer of `place` SHALL depend only on the contents of the state
 * and on the request.
 */
export interface Placer<Index = undefined> {
  readonly claims: Claims
  /**
   * Bandwidth that all jobs together may hold on one link in MB/s, if claims.links is 'capped'. Otherwise undefined.
   */
  readonly linkCapacity?: number
  /** Returns a placement or a refusal. Changes neither the state nor the index. */
  place(state: StateView, request: Request, index: Index): Outcome
  /**
   * Returns the key under which the scheduler remembers a refusal of a monotone policy. Requests with equal keys are
   * refused together. Undefined: the refusal is not remembered. Default: the requested number of nodes.
   */
  requestKey?(request: Request): string | number | undefined
  /**
   * True if requests with equal keys and purposes get equal placements in equal states. The scheduler then need not ask
   * about each request. Default: false.
   */
  readonly placesByKey?: boolean
  /**
   * Returns an upper bound: the policy refuses every request of more nodes in this state. The scheduler calls
   * `mostNodes` before `place` and skips larger requests, so the bound must be cheap. Default: all free nodes.
   */
  mostNodes?(state: StateView, index: Index): number
  /** Hooks of an index, data derived from a state that make `place` fast. Each state and each fork has one index. */
  readonly index?: IndexHooks<Index>
}

/**
 * Hooks that keep an index. Each hook SHALL leave the index that `build` makes from the state; `policySuite` compares
 * them.
 */
export interface IndexHooks<Index> {
  /** Makes an index from a state. */
  build(state: StateView): Index
  /** Makes `into` equal to `from`. Should not allocate memory: every scheduling pass makes forks. */
  copy(from: Index, into: Index): void
  /**
   * Updates the index after nodes or up-ports became free or taken, were withheld, failed or were restored.
   *
   * @param leaves leaves with changed nodes or up-ports, ascending
   * @param upper L2 switches with changed up-ports, ascending
   */
  changed(index: Index, state: StateView, leaves: ArrayLike<number>, upper: ArrayLike<number>): void
}

/** A placement policy, the default export of a policy package. */
export interface PlacementPolicy<Config, Index = undefined> {
  /** Version of the contract that the policy is written for. Programs refuse a policy of an unknown version. */
  readonly contract: 1
  /** Name of the policy on the command line and in logs: lower-case letters, digits and '-'. */
  readonly name: string
  /** Version of the policy, equal to the version of its package. */
  readonly version: string
  /** Any Standard Schema (Effect: Schema.toStandardSchemaV1). Validates synchronously and fills in every default. */
  readonly config: StandardSchemaV1<unknown, Config>
  /** Binds the policy to a topology and a valid config, or returns the reason for not serving the topology. */
  make(topology: Topology, config: Config): Placer<Index> | { readonly unsupported: string }
}
