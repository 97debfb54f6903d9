/**
 * The placement-policy contract, version 1. The file declares types only; nothing here exists at run time.
 *
 * An additional optional member of a request, a placer or a placement needs no new contract version: a policy may
 * ignore such a member of a request, and may leave out such a member of a placer or a placement. A member that a policy
 * must know needs a new contract version.
 */
import type { Share, Topology } from '@cloister/topology'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Communication } from './mapper.ts'
import type { ResourceMasks } from './resource-masks.ts'
import type { StateView } from './view.ts'

/**
 * Properties that a policy guarantees on one topology. The auditor tests `links`, `rule`, `exactSize`, `anyFreeNodes`
 * and, by the rule, `fullBandwidth`, `shareBandwidth` and, on small trees, `complete`. `policySuite` tests all except `rule` and
 * `speedupScenarios`. Nothing tests `speedupScenarios`.
 */
export interface Claims {
  /**
   * How jobs use links.
   * - owned: a placement lists every link that the job's messages can use, and no other job holds a listed link.
   * - capped: a placement lists links and a bandwidth; all jobs on a link together hold at most `linkCapacity` MB/s of
   *   the link.
   * - rule: the auditor's checks of the claim `rule` say how jobs use links.
   * - shared: a placement lists no links; any job may use any link.
   */
  readonly links: 'owned' | 'capped' | 'rule' | 'shared'
  /**
   * Set of further checks of the auditor: 'jigsaw-conditions', 'laas', 'nested-remainders' or 'ta'. The auditor reports
   * any other name as untested.
   */
  readonly rule?: string
  /**
   * True if each allocation is rearrangeable non-blocking: every permutation of its nodes has routes, one flow a link.
   */
  readonly fullBandwidth: boolean
  /**
   * Claim for tapered trees, where `fullBandwidth` is too much to ask: every permutation of an allocation's nodes has
   * routes over the allocation's links with at most `uplink` flows on each leaf uplink and direction, and at most
   * `spine` flows on each L2 uplink, if flows may be split over several routes. Whole flows need at most ⌈uplink⌉ and
   * ⌈uplink⌉ · ⌈spine / uplink⌉. `shareOf` of `@cloister/topology` gives the numbers for a tapered tree. Default: no such
   * claim.
   */
  readonly shareBandwidth?: Share
  /**
   * True if a placement has exactly the requested number of nodes; false if it may have more (internal fragmentation).
   */
  readonly exactSize: boolean
  /**
   * True if a request that is refused in a state is also refused in every state in which only a part of the same
   * resources is free.
   */
  readonly monotone: boolean
  /**
   * True if the policy finds a placement in every state in which its class of placements has one. The refusal
   * 'no-placement' then proves that no such placement exists. Under a rule for owned links, the class has at least:
   * - ta, laas: every placement that the rule allows.
   * - jigsaw-conditions: every placement that the rule allows in one pod and, across pods, every placement on whole
   *   leaves and at most one remainder leaf.
   *
   * With `shareBandwidth` and on a machine with absent parts, only the rule ta fixes the class.
   */
  readonly complete: boolean
  /** True if the policy places every request for at most as many nodes as are free. Default: false. */
  readonly anyFreeNodes?: boolean
  /** True if the option `scenario` of a run shortens the run times of jobs under this policy. */
  readonly speedupScenarios: boolean
}

/** A job as a policy sees it. Times are integer milliseconds. No field depends on the real run time of the job. */
export interface Request {
  /**
   * Purpose of the request.
   * - start: the job would start now.
   * - reserve: the job would get a reservation. The state is the state expected at a later instant.
   * - backfill: the job would start now on resources that the reservations leave free.
   */
  readonly purpose: 'start' | 'reserve' | 'backfill'
  readonly job: string
  readonly nodes: number
  /** Instant of the scheduling pass, even if the state is the expected state of a later instant. */
  readonly now: number
  /** Instant of the scheduling pass, equal to `now`, for the purpose 'reserve'; else undefined. */
  readonly decidedAt?: number
  /** Planned start of the job, the instant of the expected state, for the purpose 'reserve'; else undefined. */
  readonly startsAt?: number
  /** Instant at which the user submitted the job, also for a job that was killed and requeued. */
  readonly submitted: number
  /** Run time that the scheduler expects for the job; undefined if the scheduler has no estimate. */
  readonly estimate: number | undefined
  /** Bandwidth that the job wants on each of its links, in MB/s, an integer; undefined if the job names none. */
  readonly bandwidth: number | undefined
  /** Communication between the ranks of the job; undefined if the job is not communication-intensive. */
  readonly communication: Communication | undefined
}

/**
 * Nodes and links on which a job would run. Ids ascend strictly. The caller may keep the arrays: a policy never writes
 * to returned arrays again.
 */
export interface Placement {
  readonly ok: true
  readonly nodes: ArrayLike<number>
  /**
   * Links of the job for each level: `links[0]` has uplinks of leaves, `links[1]` of L2 switches, and so on. The list
   * may omit upper levels without links. On a machine with rails, a link stands for its cable in each rail.
   */
  readonly links: ReadonlyArray<ArrayLike<number>>
  /** Nodes and links as masks; set only by `MaskedPlacement`. A copy `{ ...placement, note }` has masks and no ids. */
  readonly masks?: ResourceMasks
  /** Node of each rank; each node has one rank. Undefined if the order of the ranks does not matter. */
  readonly ranks?: ArrayLike<number>
  /** Bandwidth of the job on each of `links`, in MB/s; undefined unless claims.links is 'capped'. */
  readonly bandwidth?: number
  /**
   * Reason for the choice of the placement, such as a score: small and deterministic. A log has the note if the run has
   * the option `refusals`.
   */
  readonly note?: Json
}

/**
 * Negative answer of a policy. For people and for `cloister explain`, `constraint` names the failed condition, and
 * `nearest` describes the nearest miss.
 */
export type Refusal =
  | { readonly ok: false; readonly code: 'too-few-nodes'; readonly free: number }
  | { readonly ok: false; readonly code: 'no-placement'; readonly constraint: string; readonly nearest?: Json }
  /** The search ended at a bound, after `steps` steps. The scheduler never remembers the refusal. */
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
  /** Bandwidth that all jobs together may hold on one link, in MB/s; undefined unless claims.links is 'capped'. */
  readonly linkCapacity?: number
  /**
   * Returns a placement or a refusal. Changes neither the state nor the index nor the topology, and reads no clock, no
   * random numbers and no environment.
   */
  place(state: StateView, request: Request, index: Index): Outcome
  /**
   * Returns the key under which the scheduler remembers a refusal of a monotone policy: until resources become free,
   * the scheduler takes all requests with an equal key as refused. If the key is undefined, the refusal is not
   * remembered. Default: the requested number of nodes.
   */
  requestKey?(request: Request): string | number | undefined
  /** True if requests with equal keys and purposes get equal placements in equal states. Default: false. */
  readonly placesByKey?: boolean
  /** Returns a number of nodes such that the policy refuses every request for more. Default: all free nodes. */
  mostNodes?(state: StateView, index: Index): number
  /**
   * Returns a number of nodes such that each placement of a larger job in `state` leaves a job of `head` nodes no
   * placement in `later`, a later state in which everything free in `state` is free. Default: no such number.
   */
  mostNodesBeside?(state: StateView, index: Index, later: StateView, laterIndex: Index, head: number): number
  /**
   * Hooks of an index: data derived from a state that make `place` fast. Each state and each fork has its own index.
   */
  readonly index?: IndexHooks<Index>
}

/**
 * Functions that keep the index of a state up to date. After each call, the index SHALL equal the index that `build`
 * makes from the state; `policySuite` compares both.
 */
export interface IndexHooks<Index> {
  build(state: StateView): Index
  /**
   * Makes the index `into` equal to `from`, without new memory if possible, because scheduling passes make many forks.
   */
  copy(from: Index, into: Index): void
  /**
   * Updates the index after a change of nodes or up-ports.
   *
   * @param leaves leaves with changed nodes or up-ports, ascending
   * @param upper L2 switches with changed up-ports, ascending
   */
  changed(index: Index, state: StateView, leaves: ArrayLike<number>, upper: ArrayLike<number>): void
}

/** A placement policy: the default export of a policy package. */
export interface PlacementPolicy<Config, Index = undefined> {
  /** Programs refuse a policy with an unknown contract version. */
  readonly contract: 1
  /** Name of the policy on the command line and in logs: lower-case letters, digits and '-'. */
  readonly name: string
  /** Version of the policy, equal to the version of its package. */
  readonly version: string
  /**
   * Any Standard Schema, such as a schema of valibot. The schema validates synchronously and fills in every default.
   * `cloister policy show` lists the options if the schema is of valibot or Effect, or gives its JSON Schema.
   */
  readonly config: StandardSchemaV1<unknown, Config>
  /** Binds the policy to a topology, or returns the reason for not serving the topology. */
  make(topology: Topology, config: Config): Placer<Index> | { readonly unsupported: string }
}
