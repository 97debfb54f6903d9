import type { Topology } from '@cloister/topology'
import type { Resources } from './allocations.ts'

/** The router contract, version 1. The file declares types only; nothing here exists at run time. */

/** Forwarding tables (InfiniBand: LFTs): the output port depends only on the switch and the destination node. */
export interface Routes {
  /**
   * Returns the output port of a switch for a destination node; -1 if the table has no entry. Ports count from 0,
   * down-ports first (`downPorts` of @cloister/topology).
   */
  port(level: number, sw: number, node: number): number
}

/** Entries of the forwarding table of one switch. A router may use the arrays again for its next entries. */
export interface SwitchEntries {
  /** Level of the switch, 0 for a leaf, and id of the switch on its level. */
  readonly level: number
  readonly sw: number
  /** Ids of destination nodes, ascending. */
  readonly nodes: ArrayLike<number>
  /** Output port towards each node of `nodes`; -1 if the switch drops messages for the node. */
  readonly ports: ArrayLike<number>
}

/** Claims of a router about its tables. The auditor tests the claims in every log with the router. */
export interface RouterClaims {
  /**
   * `owned`: the entries for the nodes of a job use only nodes and links that the job owns, and connect all nodes of
   * the job that links of the job that are up still connect. `shared`: the entries may use any link.
   */
  readonly links: 'owned' | 'shared'
  /**
   * Entries that the start or end of a job changes. `none`: the tables do not depend on jobs. `own`: a start adds
   * entries for nodes of its job, and the end of the job removes these entries. `any`: entries of any nodes may change.
   *
   * The claim does not restrict the answers to failures and repairs, except under `own`: there each changed entry
   * belongs to a running job. Under `none` the tables depend only on the topology and on the links that are down.
   *
   * Under `own` the tables are equal after any order of the same jobs, because a restarted controller starts the running
   * jobs again. Under `any` the tables may depend on all earlier calls. Under `none` and `any` every leaf reaches each
   * node that has an entry, while nothing has failed.
   */
  readonly changes: 'none' | 'own' | 'any'
}

/** Entries that a failure or a repair changes. */
export interface RouteChange {
  /** Running job whose entries change, under the claim `own`; under the other claims, job whose routes are lost or back. */
  readonly job?: string
  /** Changed entries: each switch at most once, leaves first, by id. */
  readonly entries: Iterable<SwitchEntries>
  /**
   * Message with the names of two nodes of the job, if no route leads from one node to the other, such as `no links lead
   * from node 3 to node 9`; absent if routes connect all nodes of the job. Under the claim `owned`, a message SHALL be
   * present only if the job's links without a failure do not connect the two nodes.
   */
  readonly unroutable?: string
}

/** Forwarding tables of a machine, updated at each start and end of a job, and at failures. */
export interface ForwardingTables extends Routes {
  /** Returns all entries before the first start of a job; absent if the tables are empty then. */
  initial?(): Iterable<SwitchEntries>
  /**
   * Updates the tables for a job that starts, and returns the changed entries: each switch at most once, leaves first,
   * by id. The call updates the tables, even if nobody reads the entries. If the tables cannot connect all nodes of the
   * job, changes nothing and returns `unroutable`, a message that names nodes without a route.
   *
   * Without failures, `unroutable` is a fault of the policy. Under the claim `shared`, a job may start without routes
   * while links are down. The router then does not know the job: the scheduler calls `start` again after each repair
   * until the job has routes, and calls `end` only for a job with routes.
   */
  start(job: string, resources: Resources): Iterable<SwitchEntries> | { readonly unroutable: string }
  /**
   * Updates the tables for a job that ends, and returns the changed entries. Under the claims `none` and `own` the
   * returned entries are ignored: the tables lose exactly the entries that the start of the job added.
   */
  end(job: string): Iterable<SwitchEntries>
  /**
   * Updates the tables after nodes and links failed (`down`) or came back (`up`), and returns the changes. Under the
   * claim `own` each affected job has one change, in the order of starts. Under the other claims the first change has
   * the entries of the machine. A further change without entries names each job that lost its routes (with
   * `unroutable`), and each job whose routes are back. The tables then lead no message over a link that is down, and
   * connect two nodes of a job as long as links that are up (under `owned`, links of the job) lead up and then down
   * between the nodes. The jobs on failed nodes have already ended. After the repair of all failures the tables are as
   * without failures, except under `any`. Absent: failures change no entries.
   */
  change?(change: 'down' | 'up', resources: Resources): Iterable<RouteChange>
}

/** A router: makes forwarding tables for a topology. */
export interface Router {
  readonly contract: 1
  /** Name of the router: lower-case words and digits joined by '-', not `none`. The header of a log has the name. */
  readonly name: string
  /** Version of the router, such as `1.0.0`, also in the header of a log. */
  readonly version: string
  readonly claims: RouterClaims
  /**
   * Returns the tables of a machine without jobs, or the reason for not serving the topology. The tables SHALL depend
   * only on the topology and on the calls of `start`, `end` and `change` so far.
   */
  make(topology: Topology): ForwardingTables | { readonly unsupported: string }
}
