import type { ClusterModel } from '../cluster/cluster-model.ts'
import type { Invariant } from '../invariant.ts'
import { PlacementSearch, type SearchedRule, whyNotSearched } from './placements-of-rules.ts'
import { expectedEnd, type Room, type Rooms, startsOfPasses } from './starts-of-passes.ts'

const searched: ReadonlySet<string> = new Set<SearchedRule>(['ta', 'laas', 'jigsaw-conditions'])

export const complete: Invariant = {
  name: 'complete',
  property:
    'If the policy claims to be complete under the rule `ta`, `laas` or `jigsaw-conditions`, and jobs own links, no job waits while its class has a placement on free nodes and links. After each scheduling pass of fcfs and EASY, the class has no placement of the head. Under EASY the class has no placement of the head at the expected end of a running job before its reservation. Under EASY the class has no placement of a job of the window that ends before the reservation, and no placement of any job of the window beside the reservation, unless the pass moved the reservation. A simulation rejects only jobs without a placement on the empty machine. The auditor searches for placements exhaustively, and so only on trees of at most 8 pods and 8 uplinks a leaf. Under `jigsaw-conditions` the auditor searches placements across pods only on whole leaves and one remainder leaf. Without one of these rules, the log does not show which placements the class of the policy has, so no log shows whether the policy is complete.',
  begin(model, tally) {
    const { header, topology } = model
    const { complete: isClaimed, rule, links } = header.policy.claims
    if (!isClaimed) return 'the policy does not claim to be complete'
    if (model.doAnyNodesServe) return 'the invariant any-free-nodes tests the claim'
    if (rule === undefined || !searched.has(rule))
      return `no log can show the claim: the log does not name the placements of the policy's class (rule: ${rule ?? 'none'})`
    if (links !== 'owned') return `the auditor searches placements of links that jobs own (links: ${links})`
    const { backfill } = model.rules.queue
    if (backfill !== 'none' && backfill !== 'easy')
      return `the auditor searches placements only after scheduling passes of fcfs and EASY (backfill: ${backfill})`
    const holdsUplinks = header.policy.config['leafJobsHoldUplinks'] === true
    return (
      whyNotSearched(topology) ??
      startsOfPasses(
        model,
        tally,
        roomsByRule(model, new PlacementSearch(topology, rule as SearchedRule, holdsUplinks)),
      )
    )
  },
}

/** Returns rooms with exactly the placements that the rule of the policy allows. */
function roomsByRule(model: ClusterModel, search: PlacementSearch): Rooms {
  const { firstResource } = model
  const room = (isFree: (resource: number) => boolean): Room => {
    const fits = search.sizesOn((level, id) => isFree(firstResource[level + 1] + id))
    return ({ size }) => fits(size)
  }
  const isFreeNow = (resource: number): boolean => model.owners[resource] === 0 && model.downBy[resource] === 0
  return {
    cost: search.cost,
    words: () => 'free nodes and links have a placement of the job',
    empty: () => room(() => true),
    now: () => room(isFreeNow),
    by: (time) =>
      room((resource) => {
        const holder = model.holderOf(resource)
        if (holder === undefined || model.downBy[resource] !== 0) return isFreeNow(resource)
        return expectedEnd(model, holder, model.previousTime) <= time
      }),
    beside: ({ resources }) => {
      const reserved = new Set(resources)
      return room((resource) => isFreeNow(resource) && !reserved.has(resource))
    },
  }
}
