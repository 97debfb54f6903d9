import { type CostMeasure, patternOf, runTimeOn } from '@cloister/communication'
import type { OptionsRef } from '@cloister/eventlog'
import type { Contention, RateChange, Routing, RunTimes } from '@cloister/kernel'
import {
  DirectedLinks,
  dModK,
  type FlowPath,
  followOn,
  jobLoads,
  type JobLoads,
  type JobSpeed,
  partitionRouter,
  RoutingError,
  routedPaths,
  type Sending,
  SharingJobs,
} from '@cloister/network'
import { bindPolicy, type Claims, type ForwardingTables, type Placement, type Routes } from '@cloister/placement'
import { describeIrregularity, type Topology, wholeShape } from '@cloister/topology'
import type { Job } from '@cloister/workload'
import * as Effect from 'effect/Effect'
import { attempt, OptionError, type TaggedProblem } from './errors.ts'
import { Policies } from './services.ts'
import { WatchedTables } from './watched-tables.ts'

/**
 * Returns a model of the slowdown of running jobs by each other, for a machine on which no job runs yet. Communication
 * runs at the max-min fair share of the links; computation keeps its speed. With a router for the whole machine (claim
 * `none` or `any`), all routes are the routes of its tables, and at each start and end the routes of running jobs follow
 * the changed entries. Otherwise the routes of a job use the job's own links if the policy claims owned links, and all
 * routes are D-mod-k under any other claim.
 *
 * @param routing router of the run, with tables from `watchedRouting`
 * @throws OptionError if the machine has none of these routes. Only regular trees have D-mod-k routes. Machines with
 *   absent parts also have routes over owned links.
 */
export function contentionOn(topology: Topology, { links: claim }: Claims, routing?: Routing): Contention {
  const tables = routing?.router.claims.changes === 'own' ? undefined : routing?.tables
  const shape = claim === 'owned' ? wholeShape(topology) : topology.pgft
  if (tables === undefined && shape === undefined)
    throw new OptionError({
      option: 'runTimes',
      reason: `contention: ${topology.name} has no ${claim === 'owned' ? 'partition' : 'D-mod-k'} routes, because ${describeIrregularity(topology)}; use a regular tree, such as radix:18, or a router of the whole machine, such as min-hop`,
    })
  const links = new DirectedLinks(topology, { node: 1, levels: [1] })
  const whole = tables ?? (claim === 'owned' ? undefined : dModK(topology))
  const waysOf = whole === undefined ? ownWays(topology, links) : sharedWays(topology, links, whole)
  return new CommunicatingJobs(links, waysOf, tables instanceof WatchedTables ? tables : undefined)
}

/** Returns routing whose tables tell `contentionOn` about changed entries. */
export function watchedRouting(routing: Routing | undefined): Routing | undefined {
  return routing && { router: routing.router, tables: new WatchedTables(routing.tables) }
}

/** Function that returns the routes for the messages of a job; undefined if the job's own links have no routes. */
type WaysOf = (job: string, placement: Placement) => FlowPath | undefined

function sharedWays(topology: Topology, links: DirectedLinks, routes: Routes): WaysOf {
  const follow = followOn(topology)
  const path: FlowPath = (from, to, visit) => {
    if (from === to) return
    visit(links.ofNode(from, 'up'))
    try {
      follow(routes, from, to, (level, link, up) => visit(links.ofLevel(level, link, up ? 'up' : 'down')))
    } catch (cause) {
      // A failure can separate the nodes of a job. The messages then load the links up to the last switch with an entry.
      if (!(cause instanceof RoutingError)) throw cause
    }
    visit(links.ofNode(to, 'down'))
  }
  return () => path
}

function ownWays(topology: Topology, links: DirectedLinks): WaysOf {
  const router = partitionRouter()
  return (job, placement) => {
    const tables = router.make(topology) as ForwardingTables
    return 'unroutable' in tables.start(job, placement) ? undefined : routedPaths(topology, links, tables)
  }
}

/** Running job with messages. */
interface Sender {
  readonly id: string
  readonly pattern: string
  readonly placement: Placement
  /** Number of the job's start among all starts of jobs with messages. */
  readonly order: number
}

class CommunicatingJobs implements Contention {
  readonly #links: DirectedLinks
  readonly #waysOf: WaysOf
  readonly #sharing: SharingJobs
  /** Scratch memory for the loads of one job, by link; all 0 between two jobs. */
  readonly #sums: Float64Array
  /** Share of communication in the run time of a job without slowdown, in 1/1000; absent for jobs without messages. */
  readonly #shares = new Map<number, number>()
  /** Rate of each running job in 1/1000; absent if the rate never changed from 1000. */
  readonly #rates = new Map<number, number>()
  readonly #tables: WatchedTables | undefined
  readonly #senders = new Map<number, Sender>()
  readonly #senderOfNode = new Map<number, number>()
  #started = 0

  /** @param tables tables whose changed entries change the routes of running jobs; undefined if no routes change */
  constructor(links: DirectedLinks, waysOf: WaysOf, tables: WatchedTables | undefined) {
    this.#links = links
    this.#waysOf = waysOf
    this.#tables = tables
    this.#sharing = new SharingJobs(links.count)
    this.#sums = new Float64Array(links.count)
  }

  start(
    job: number,
    { id, communication }: Pick<Job, 'id' | 'communication'>,
    placement: Placement,
  ): ReadonlyArray<RateChange> {
    const speeds = this.#speedsOnNewRoutes()
    const loads = communication === undefined ? undefined : this.#loadsOf(id, communication.pattern, placement)
    if (loads === undefined || loads.links.length === 0) return this.#changed(speeds)
    this.#shares.set(job, communication!.share)
    this.#senders.set(job, { id, pattern: communication!.pattern, placement, order: this.#started++ })
    for (const node of Array.from(placement.nodes)) this.#senderOfNode.set(node, job)
    note(speeds, this.#sharing.add(job, loads))
    return this.#changed(speeds)
  }

  end(job: number): ReadonlyArray<RateChange> {
    if (!this.#shares.delete(job)) return this.#changed(this.#speedsOnNewRoutes())
    for (const node of Array.from(this.#senders.get(job)!.placement.nodes)) this.#senderOfNode.delete(node)
    this.#senders.delete(job)
    this.#rates.delete(job)
    const speeds = new Map<number, number>()
    note(speeds, this.#sharing.remove(job))
    note(speeds, this.#speedsOnNewRoutes())
    return this.#changed(speeds)
  }

  /** Follows the routes again of running jobs whose entries changed, and returns the speeds that changed. */
  #speedsOnNewRoutes(): Map<number, number> {
    const speeds = new Map<number, number>()
    const moved = new Set(this.#tables?.takeChanged().flatMap((node) => this.#senderOfNode.get(node) ?? []))
    for (const job of [...moved].sort((a, b) => this.#senders.get(a)!.order - this.#senders.get(b)!.order)) {
      const { id, pattern, placement } = this.#senders.get(job)!
      note(speeds, this.#sharing.remove(job))
      speeds.set(job, 1)
      note(speeds, this.#sharing.add(job, this.#loadsOf(id, pattern, placement)!))
    }
    return speeds
  }

  #loadsOf(job: string, name: string, placement: Placement): JobLoads | undefined {
    const pattern = patternOf(name)
    const path = pattern === undefined ? undefined : this.#waysOf(job, placement)
    if (pattern === undefined || path === undefined) return undefined
    const ranks = placement.ranks ?? placement.nodes
    const send: Sending = (visit) => {
      // The size of a pair is the sum of both directions, so each direction gets half.
      const step: Array<number> = []
      pattern.forEachPair(
        ranks.length,
        (first, second, size) => void step.push(first, second, size),
        (times) => {
          for (let at = 0; at < step.length; at += 3) {
            const [first, second, size] = [ranks[step[at]], ranks[step[at + 1]], (step[at + 2] * times) / 2]
            visit(first, second, size)
            visit(second, first, size)
          }
          step.length = 0
        },
      )
    }
    return jobLoads(path, this.#links.capacity, send, this.#sums)
  }

  /** Returns the rates that changed, in the order of the starts of the jobs. */
  #changed(speeds: ReadonlyMap<number, number>): ReadonlyArray<RateChange> {
    const orderOf = ([job]: readonly [number, number]): number => this.#senders.get(job)!.order
    return [...speeds]
      .sort((a, b) => orderOf(a) - orderOf(b))
      .flatMap(([job, speed]) => {
        const rate = rateOf(this.#shares.get(job)!, speed)
        if (rate === (this.#rates.get(job) ?? 1000)) return []
        this.#rates.set(job, rate)
        return [{ job, rate }]
      })
  }
}

function note(speeds: Map<number, number>, changed: Iterable<JobSpeed | readonly [job: number, speed: number]>): void {
  for (const each of changed)
    if ('job' in each) speeds.set(each.job, each.speed)
    else speeds.set(...each)
}

/** Returns a job's rate in 1/1000, at least 1, if `share` (in 1/1000) of its time takes 1 / `speed` times as long. */
function rateOf(share: number, speed: number): number {
  return Math.max(1, Math.round(1000 / (1 - share / 1000 + share / 1000 / speed)))
}

/** Name of the reference policy. Run times are relative to the placements of this policy. */
export const reference = 'slurm-tree'

/**
 * Returns a function for the run time of a job on a placement; undefined if run times are fixed or follow contention. A
 * job's run time changes with its communication cost relative to Slurm's tree placement in the same state (Mishra et
 * al., equation 7). Run times of jobs that do not communicate, or that `slurm-tree` refuses, stay unchanged.
 */
export function runTimesOf(
  { runTimes: model, cost }: { readonly runTimes?: OptionsRef['runTimes'] | 'fixed'; readonly cost?: CostMeasure },
  topology: Topology,
): Effect.Effect<RunTimes | undefined, TaggedProblem, Policies> {
  // The slowdown by contention depends on the running jobs, so contention has no run times by placement.
  if (model !== 'communication') return Effect.succeed(undefined)
  return Effect.gen(function* () {
    const { policy } = yield* (yield* Policies).find(reference)
    const { placer } = yield* attempt(() => bindPolicy(policy, topology, {}), 'runTimes')
    const runTimes: RunTimes = (state, request, placement, time) => {
      if (request.communication === undefined) return time
      const byDefault = placer.place(state, request, undefined)
      if (!byDefault.ok) return time
      const communicating = (leaf: number): number => state.communicatingNodesOnLeaf(leaf)
      const order = placement.ranks ?? placement.nodes
      return runTimeOn(topology, communicating, time, request.communication, order, byDefault.nodes, cost)
    }
    return runTimes
  })
}
