import { dModK } from '@cloister/network'
import type { ForwardingTables, Resources, RouteChange, Router, SwitchEntries } from '@cloister/placement'
import type { Topology } from '@cloister/topology'
import { ConnectedJobs } from './connected-jobs.ts'
import { EditedRows } from './edited-rows.ts'
import { JobLoads, loadingJob, type LoadingJob } from './job-loads.ts'
import { LightestRoutes } from './lightest-routes.ts'
import { LiveLinks } from './live-links.ts'
import { fewestNodes } from './min-hop.ts'
import { changedEntries, Rows } from './rows.ts'
import { around, type Scheme } from './static-router.ts'

/** Number of nodes of running jobs whose routes each start and each end of a job chooses again. */
const REBALANCED = 16

/**
 * Router `scheduling-aware`: tables that follow the running jobs, after Domke and Hoefler, "Scheduling-Aware Routing for
 * Supercomputers" (SC 2016). Only messages between nodes of one job count as load. At the start of a job, the routes to
 * each of its nodes take the links with the least sum of loads. Each start and each end also chooses the routes to
 * `REBALANCED` nodes of other running jobs again, in turn. The first tables are the tables of
 * D-mod-k, or of `min-hop` on an irregular machine. Entries stay when a job ends, because a change of entries costs more
 * than it gains.
 *
 * In the paper, a program follows the batch system and lets OpenSM compute all tables again. This router instead changes
 * the entries of few nodes, at every start and end. Each job counts as all-to-all messages, divided by its size.
 */
export const schedulingAwareRouter: Router = {
  contract: 1,
  name: 'scheduling-aware',
  version: '1.0.0',
  claims: { links: 'shared', changes: 'any' },
  make: (topology) => {
    const live = new LiveLinks(topology)
    const unsupported = live.unconnectedLeaves()
    return unsupported === undefined ? new SchedulingAwareTables(live) : { unsupported }
  },
}

class SchedulingAwareTables implements ForwardingTables {
  readonly #topology: Topology
  readonly #live: LiveLinks
  readonly #scheme: Scheme
  readonly #connected: ConnectedJobs
  /** Running jobs with nodes on several leaves, in the order of their starts. */
  readonly #jobs: Map<string, LoadingJob> = new Map()
  /** Nodes of these jobs, in the order of the last choices of their routes. */
  readonly #turns: Map<number, LoadingJob> = new Map()
  readonly #loads: JobLoads
  readonly #routes: LightestRoutes
  /** Entries without jobs. */
  #base: Rows
  /** Present entries. */
  #rows: EditedRows

  constructor(live: LiveLinks) {
    const { topology } = live
    this.#topology = topology
    this.#live = live
    this.#scheme = topology.pgft === undefined ? fewestNodes : around(dModK(topology))
    this.#connected = new ConnectedJobs(this.#live)
    this.#loads = new JobLoads(this.#live)
    this.#base = new Rows(topology, this.#scheme(this.#live))
    this.#rows = new EditedRows(topology, this.#base)
    this.#routes = new LightestRoutes(this.#live, this.#loads, () => this.#rows)
  }

  port(level: number, sw: number, node: number): number {
    return this.#rows.of(level, sw)[node]
  }

  initial(): Iterable<SwitchEntries> {
    return this.#base.entries()
  }

  start(job: string, { nodes, links }: Resources): ReadonlyArray<SwitchEntries> | { readonly unroutable: string } {
    const unroutable = this.#connected.start(job, { nodes, links })
    if (unroutable !== undefined) return { unroutable }
    const loading = loadingJob(this.#topology.leafOfNode, nodes)
    if (loading === undefined) return []
    this.#jobs.set(job, loading)
    for (const node of loading.nodes) this.#route(loading, node)
    this.#rebalance()
    return this.#rows.takeChanges()
  }

  end(job: string): ReadonlyArray<SwitchEntries> {
    this.#connected.end(job)
    const ended = this.#jobs.get(job)
    if (ended === undefined) return []
    this.#jobs.delete(job)
    for (const node of ended.nodes) {
      this.#turns.delete(node)
      this.#loads.add(ended, node, this.#rows, -1)
    }
    this.#rebalance()
    return this.#rows.takeChanges()
  }

  /** Chooses the routes to a node whose messages are not part of the loads, and adds the messages. */
  #route(job: LoadingJob, node: number): void {
    this.#routes.find(node, job.leaves, (level, sw, port) => this.#rows.set(level, sw, node, port))
    this.#loads.add(job, node, this.#rows, 1)
    this.#turns.set(node, job)
  }

  /** Chooses the routes again to the nodes whose routes were chosen the longest ago. */
  #rebalance(): void {
    const turns: Array<readonly [number, LoadingJob]> = []
    for (const turn of this.#turns) if (turns.push(turn) === REBALANCED) break
    for (const [node, job] of turns) {
      this.#turns.delete(node)
      this.#loads.add(job, node, this.#rows, -1)
      this.#route(job, node)
    }
  }

  /** After a change of links, makes the tables of the machine anew, with the running jobs in the order of their starts. */
  change(change: 'down' | 'up', { links }: Resources): ReadonlyArray<RouteChange> {
    this.#base.freeze()
    if (!this.#live.change(change, links)) return []
    const before = this.#rows
    this.#base = new Rows(this.#topology, this.#scheme(this.#live))
    this.#rows = new EditedRows(this.#topology, this.#base)
    this.#loads.clear()
    this.#turns.clear()
    for (const job of this.#jobs.values()) for (const node of job.nodes) this.#route(job, node)
    this.#rows.takeChanges()
    const entries = changedEntries(this.#topology, before, this.#rows)
    return [...(entries.length > 0 ? [{ entries }] : []), ...this.#connected.lostAndBack()]
  }
}
