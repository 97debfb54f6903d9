import { patternOf } from '@cloister/communication'
import type { Contention, RateChange } from '@cloister/kernel'
import {
  DirectedLinks,
  type FlowPath,
  jobLoads,
  type JobLoads,
  type JobSpeed,
  routedPaths,
  type Sending,
  SharingJobs,
} from '@cloister/network'
import type { Claims, ForwardingTables, Placement } from '@cloister/placement'
import { dModK, partitionRouter } from '@cloister/routing'
import type { Topology } from '@cloister/topology'
import type { Job } from '@cloister/workload'
import { OptionError } from './errors.ts'

/**
 * How jobs of a policy with these claims slow each other on a machine on which nobody runs yet: communication goes at the
 * max-min fair share of the links, computation as before.
 *
 * @throws OptionError where the machine has no such routes
 */
export function contentionOn(topology: Topology, { links: claim }: Claims): Contention {
  if (topology.pgft === undefined)
    throw new OptionError({
      option: 'runTimes',
      reason: `contention: ${topology.name} has no D-mod-k routes; regular trees have, such as radix:18`,
    })
  const links = new DirectedLinks(topology, { node: 1, levels: [1] })
  const waysOf = claim === 'owned' ? ownWays(topology, links) : sharedWays(topology, links)
  return new CommunicatingJobs(links, waysOf)
}

/** The ways of a job's messages; undefined where it has none. */
type WaysOf = (job: string, placement: Placement) => FlowPath | undefined

function sharedWays(topology: Topology, links: DirectedLinks): WaysOf {
  const path = routedPaths(topology, links, dModK(topology))
  return () => path
}

function ownWays(topology: Topology, links: DirectedLinks): WaysOf {
  // Nobody looks at digests here.
  const router = partitionRouter(() => ({ update: () => {}, digest: () => new Uint8Array(32) }))
  return (job, placement) => {
    const tables = router.make(topology) as ForwardingTables
    return 'unroutable' in tables.add(job, placement) ? undefined : routedPaths(topology, links, tables)
  }
}

class CommunicatingJobs implements Contention {
  readonly #links: DirectedLinks
  readonly #waysOf: WaysOf
  readonly #sharing: SharingJobs
  /** By link, for the loads of one job after the other. */
  readonly #sums: Float64Array
  /** Of running jobs that communicate: share of the time by itself, and rate, in 1/1000. */
  readonly #shares = new Map<number, number>()
  readonly #rates = new Map<number, number>()

  constructor(links: DirectedLinks, waysOf: WaysOf) {
    this.#links = links
    this.#waysOf = waysOf
    this.#sharing = new SharingJobs(links.count)
    this.#sums = new Float64Array(links.count)
  }

  start(
    job: number,
    { id, communication }: Pick<Job, 'id' | 'communication'>,
    placement: Placement,
  ): ReadonlyArray<RateChange> {
    const loads = communication === undefined ? undefined : this.#loadsOf(id, communication.pattern, placement)
    if (loads === undefined || loads.links.length === 0) return []
    this.#shares.set(job, communication!.share)
    return this.#changed(this.#sharing.add(job, loads))
  }

  end(job: number): ReadonlyArray<RateChange> {
    if (!this.#shares.delete(job)) return []
    this.#rates.delete(job)
    return this.#changed(this.#sharing.remove(job))
  }

  #loadsOf(job: string, name: string, placement: Placement): JobLoads | undefined {
    const pattern = patternOf(name)
    const path = pattern === undefined ? undefined : this.#waysOf(job, placement)
    if (pattern === undefined || path === undefined) return undefined
    const ranks = placement.ranks ?? placement.nodes
    const send: Sending = (visit) => {
      // From first to second rank, and as much back; of one step after the other.
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

  #changed(speeds: ReadonlyArray<JobSpeed>): ReadonlyArray<RateChange> {
    return speeds.flatMap(({ job, speed }) => {
      const rate = rateOf(this.#shares.get(job)!, speed)
      if (rate === (this.#rates.get(job) ?? 1000)) return []
      this.#rates.set(job, rate)
      return [{ job, rate }]
    })
  }
}

/** In 1/1000, where a share of the time, in 1/1000, takes 1 / speed times as long. */
function rateOf(share: number, speed: number): number {
  return Math.max(1, Math.round(1000 / (1 - share / 1000 + share / 1000 / speed)))
}
