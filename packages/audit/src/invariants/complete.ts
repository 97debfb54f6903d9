import type { ClusterModel } from '../cluster/cluster-model.ts'
import type { Job } from '../cluster/jobs.ts'
import type { Checks, Invariant, Tally } from '../invariant.ts'
import { PlacementSearch, type SearchedRule, whyTooLarge } from './placements-of-rules.ts'
import { expectedEnd, type Room, type Rooms, startsOfPasses } from './starts-of-passes.ts'

const searched: ReadonlySet<string> = new Set<SearchedRule>(['ta', 'laas', 'jigsaw-conditions'])

export const complete: Invariant = {
  name: 'complete',
  property:
    'If the policy claims to be complete, no job waits while the class of the policy has a placement on free nodes and links. The contract says which placements the class has under the rules `ta`, `laas` and `jigsaw-conditions`. After each scheduling pass of fcfs, EASY and backfilling without reservations, the class has no placement of the head; without reservations, also of no job of the window. Under EASY the class has no placement of the head at the expected end of a running job before its reservation. Under EASY the class has no placement of a job of the window that ends before the reservation, and no placement of any job of the window beside the reservation, unless the pass moved the reservation. A simulation rejects only jobs without a placement on the empty machine. The auditor searches for placements exhaustively, and so only on trees of at most 8 pods, 8 leaves a pod and 8 uplinks a leaf, on machines with absent parts only under `ta`. Under `jigsaw-conditions` the auditor searches placements across pods only on whole leaves and one remainder leaf. On larger trees and without one of these rules, the log does not show all placements of the class. The auditor then tests only the starts of heads: a head that waited after the previous scheduling pass does not start on nodes and links that were free then.',
  begin(model, tally) {
    const { claims, config } = model.header.policy
    if (!claims.complete) return 'the policy does not claim to be complete'
    if (model.doAnyNodesServe) return 'the invariant any-free-nodes tests the claim'
    const { backfill } = model.rules.queue
    if (backfill !== 'none' && backfill !== 'easy')
      return `the auditor looks for placements only under fcfs and EASY (backfill: ${backfill})`
    if (claims.links !== 'owned' && claims.links !== 'shared')
      return `free nodes and links may be too few for a job if other jobs limit their use (links: ${claims.links})`
    model.unsearched = whyNotSearched(model)
    if (model.unsearched !== undefined) return model.whyOrderUnknown ?? lateStarts(model, tally)
    const search = new PlacementSearch(
      model.topology,
      claims.rule as SearchedRule,
      config['leafJobsHoldUplinks'] === true,
    )
    return startsOfPasses(model, tally, roomsByRule(model, search))
  },
}

/** Returns the reason why the auditor cannot search the placements of a policy; undefined if it can. */
function whyNotSearched({ header, topology }: ClusterModel): string | undefined {
  const { rule, links, share_bandwidth: share } = header.policy.claims
  if (share !== undefined && rule !== 'ta') return 'the auditor does not search placements with share bandwidth'
  if (rule === undefined || !searched.has(rule) || links !== 'owned')
    return `the log does not name all placements of the policy (rule: ${rule ?? 'none'}, links: ${links})`
  return whyTooLarge(topology, rule as SearchedRule)
}

/** Returns checks that no head starts on nodes and links that were free when an earlier pass did not start the head. */
function lateStarts(model: ClusterModel, tally: Tally): Checks {
  /** Number of the first scheduling pass that found each node or link free again. */
  const freeFrom = new Uint32Array(model.owners.length)
  /** Head of the queue after the latest whole scheduling pass, and the number and the time (ms) of this pass. */
  let head: Job | undefined
  let [pass, time] = [0, 0]
  const free = (resources: Iterable<number>): void => {
    for (const resource of resources) freeFrom[resource] = model.pass
  }
  return {
    afterPass() {
      if (!model.isWholePassOver) return
      head = model.queue.head
      pass = model.pass - 1
      time = model.previousTime
    },
    release: () => free(model.job?.allocation?.resources ?? []),
    up: () => free(model.named?.resources ?? []),
    allocate(record) {
      const { job, named } = model
      if (job === undefined || named === undefined || named.resources.length === 0) return
      tally.tested()
      if (job !== head || named.resources.some((resource) => freeFrom[resource] > pass)) return
      tally.violated(
        record,
        `job ${job.id} was at the head of the queue at ${time / 1000} s, but starts only now, although its nodes and links have been free since then`,
      )
    },
  }
}

/** Returns rooms with exactly the placements that the rule of the policy allows. */
function roomsByRule(model: ClusterModel, search: PlacementSearch): Rooms {
  const { firstResource } = model
  /** @param nodes bound of the number of free nodes */
  const room = (nodes: number, isFree: (resource: number) => boolean): Room => {
    let fits: ((size: number) => boolean) | undefined
    return ({ size }) => {
      if (size > nodes) return false
      fits ??= search.sizesOn(
        (level, id) => isFree(firstResource[level + 1] + id),
        (comparisons) => model.effort.allows(comparisons),
      )
      return fits(size)
    }
  }
  const isFreeNow = (resource: number): boolean => model.owners[resource] === 0 && model.downBy[resource] === 0
  return {
    cost: search.cost,
    words: () => 'free nodes and links have a placement of the job',
    empty: () => room(model.topology.nodes, () => true),
    now: () => room(model.freeNodes, isFreeNow),
    by: (time) =>
      room(model.topology.nodes, (resource) => {
        const holder = model.holderOf(resource)
        if (holder === undefined || model.downBy[resource] !== 0) return isFreeNow(resource)
        return expectedEnd(model, holder, model.previousTime) <= time
      }),
    beside: ({ resources }) => {
      const reserved = new Set(resources)
      return room(model.freeNodes, (resource) => isFreeNow(resource) && !reserved.has(resource))
    },
  }
}
