import { bindPolicy, ClusterState, type PlacementPolicy } from '@cloister/placement'
import { ask, Draw } from '@cloister/placement/testing'
import { jigsaw } from '@cloister/policy-jigsaw'
import { laas } from '@cloister/policy-laas'
import { ta } from '@cloister/policy-ta'
import { expect, test } from 'vitest'
import { FlowChecker, fullBandwidth, randomPermutation, routePermutation } from '../src/index.ts'
import { allShapes, countShapes, isAccepted, isRoutable, nameless, resourcesOf, shapeOf, smallTree } from './shares.ts'

/** Numbers of allocations on several leaves; SHARE.md of the package isolation has larger trees. */
const known = [
  ['pgft:2;4,3;1,2;1,1', { allocations: 572, minimal: 32, refused: 0 }],
  ['pgft:2;3,4;1,2;1,1', { allocations: 1050, minimal: 35, refused: 0 }],
  ['pgft:2;5,3;1,3;1,1', { allocations: 3125, minimal: 70, refused: 13 }],
  ['pgft:3;2,2,2;1,1,1;1,1,1', { allocations: 286, minimal: 18, refused: 0 }],
] as const

test.each(known)(
  'on the tree %s, every allocation that the auditor accepts has routes for every permutation, and few minimal ones are refused',
  (spec, expected) => {
    expect(countShapes(smallTree(spec), 'up')).toMatchObject({ ...expected, wrong: 0 })
  },
)

test.each(['pgft:2;3,4;1,2;1,1', 'pgft:2;5,3;1,3;1,1', 'pgft:3;2,3,2;1,1,2;1,1,1'])(
  'on the tree %s, the router finds routes within the limits for every allocation that the auditor accepts',
  (spec) => {
    const tree = smallTree(spec)
    const checker = new FlowChecker(tree.topology, tree.limits)
    const tight = new FlowChecker(tree.topology, { ...tree.limits, uplink: tree.limits.uplink - 1 })
    let [accepted, beyond] = [0, 0]
    for (const shape of allShapes(tree)) {
      if (!isAccepted(tree, shape)) continue
      accepted++
      const resources = resourcesOf(tree, shape)
      const proved = fullBandwidth(tree.topology, resources, tree.limits)
      if ('unproved' in proved) throw new Error(`${proved.unproved}: ${JSON.stringify(shape)}`)
      for (let seed = 0; seed < 4; seed++) {
        const permutation = randomPermutation(resources.nodes.length, seed)
        const links = routePermutation(proved, permutation)
        expect(checker.check(resources, permutation, links).problem).toBeUndefined()
        if (tight.check(resources, permutation, links).problem !== undefined) beyond++
      }
    }
    expect(accepted).toBeGreaterThan(50)
    expect(beyond).toBeGreaterThan(0)
  },
)

/** Most leaves of an allocation that the exhaustive search routes. */
const MOST_LEAVES = 4

const policies: ReadonlyArray<PlacementPolicy<any, any>> = [jigsaw, laas, ta]
const trees = [
  'pgft:2;4,3;1,2;1,1',
  'pgft:2;5,3;1,3;1,1',
  'pgft:3;2,2,3;1,1,1;1,1,1',
  'pgft:3;3,2,2;1,2,1;1,1,1',
  'pgft:3;4,2,2;1,1,2;1,1,1',
  'pgft:3;2,3,3;1,1,2;1,1,1',
]

test.each(policies.flatMap((policy) => trees.map((spec) => [policy.name, spec, policy] as const)))(
  '%s on the tree %s: every placement in random states has its share, by the auditor and by exhaustive search',
  (_, spec, policy) => {
    const tree = smallTree(spec)
    const { placer } = bindPolicy(policy, tree.topology)
    expect(placer.claims).toMatchObject({ fullBandwidth: false, shareBandwidth: tree.share })
    const draw = new Draw(1)
    const routable = new Map<string, boolean>()
    for (let history = 0; history < 40; history++) {
      const state = new ClusterState(tree.topology, { index: placer.index })
      for (let job = 0; job < 8; job++) {
        const outcome = ask(placer, state, 1 + draw.below(draw.pick([3, tree.topology.nodes])))
        if (!outcome.ok) continue
        state.apply({ job: `${job}`, nodes: outcome.nodes, links: outcome.links, estimatedEnd: 0, startOrder: job })
        const shape = shapeOf(tree, outcome)
        const leaves = shape.reduce((sum, pod) => sum + pod.leaves.length, 0)
        if (leaves < 2) continue
        const key = nameless(tree, shape)
        expect(isAccepted(tree, shape), key).toBe(true)
        // The search takes every matrix of flows, too many for allocations on many leaves.
        if (leaves > MOST_LEAVES || routable.has(key)) continue
        routable.set(key, isRoutable(tree, shape))
        expect(routable.get(key), key).toBe(true)
      }
    }
    expect(routable.size).toBeGreaterThan(1)
  },
)
