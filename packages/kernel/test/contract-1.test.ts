/** A policy of contract 1 decides as under contract 2. */
import { currentPolicy, type PlacementPolicy, type Placer, type Request } from '@cloister/placement'
import longLast from 'cloister-policy-long-last'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { conservativeRuns, run, runs } from './random-runs.ts'

/** The policy of contract 1, ported to contract 2 by hand. */
const native: PlacementPolicy<{ readonly long: number }, Int32Array> = {
  ...longLast,
  contract: 2,
  make: (topology, { long }) => {
    const isLong = ({ estimate }: Request): boolean => estimate !== undefined && estimate >= 1000 * long
    const placer: Placer<Int32Array> = {
      claims: {
        links: 'shared',
        fullBandwidth: false,
        exactSize: true,
        monotone: true,
        complete: true,
        speedupScenarios: true,
      },
      index: {
        build: (state) => Int32Array.from({ length: topology.leaves }, (_, leaf) => state.freeNodesOnLeaf(leaf)),
        copy: (from, into) => into.set(from),
        changed: (index, state, leaves) => {
          for (const leaf of Array.from(leaves)) index[leaf] = state.freeNodesOnLeaf(leaf)
        },
      },
      requestKey: (request) => `${request.nodes} ${isLong(request)}`,
      place(state, request, free) {
        if (request.nodes > topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
        if (request.nodes > state.freeNodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
        const ids = new Int32Array(state.freeNodes)
        let taken = 0
        for (const leaf of isLong(request) ? [...free.keys()].reverse() : free.keys())
          taken += state.freeNodeIds(leaf, ids, taken)
        return { ok: true, nodes: ids.slice(0, request.nodes).sort(), links: [] }
      },
    }
    return placer
  },
}

it('a policy of contract 1 and its port to contract 2 write equal logs', () => {
  fc.assert(
    fc.property(fc.oneof(runs, conservativeRuns), (options) => {
      const under = (policy: PlacementPolicy<any, any>): string => run({ ...options, policy, config: { long: 5 } }).text
      expect(under(currentPolicy(longLast))).toBe(under(native))
    }),
    { numRuns: 100 },
  )
})
