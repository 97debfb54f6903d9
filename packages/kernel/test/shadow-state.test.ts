import { type Allocation, ClusterState } from '@cloister/placement'
import { parseTopology } from '@cloister/topology'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { ShadowState } from '../src/disciplines/head-reservation.ts'

const topology = parseTopology('radix:4')
const SHADOW = 10

test('ShadowState equals a newly made state after starts, ends and overruns before and after the shadow time', () => {
  const step = fc.record({ node: fc.nat(topology.nodes - 1), end: fc.integer({ min: 1, max: 20 }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const state = new ClusterState(topology)
      const shadow = new ShadowState(state)
      const holders = new Map<number, Allocation>()
      steps.forEach(({ node, end }, startOrder) => {
        shadow.at(SHADOW).lastEndOnLeaf(0)
        const holder = holders.get(node)
        if (holder === undefined) {
          const started = { job: `${startOrder}`, nodes: [node], links: [], estimatedEnd: end, startOrder }
          state.apply(started)
          holders.set(node, started)
          shadow.onStart(started)
        } else if (end > holder.estimatedEnd) {
          const extended = state.reestimate(holder, end)
          holders.set(node, extended)
          shadow.onOverrun(holder, extended)
        } else {
          state.release(holder)
          holders.delete(node)
          shadow.onRelease(holder)
        }
        const anew = state.fork()
        anew.releaseUntil(SHADOW)
        expect(shadow.at(SHADOW).isEqual(anew)).toBe(true)
        for (let leaf = 0; leaf < topology.leaves; leaf++) {
          expect(shadow.at(SHADOW).lastEndOnLeaf(leaf)).toBe(anew.lastEndOnLeaf(leaf))
          expect(shadow.at(SHADOW).freeNodesAtDecision(leaf)).toBe(anew.freeNodesAtDecision(leaf))
        }
        anew.drop()
      })
    }),
    { numRuns: 50 },
  )
})
