import { ClusterState, type Placement } from '@cloister/placement'
import { parseTopology } from '@cloister/topology'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { findReservation } from '../src/reservation.ts'

const topology = parseTopology('radix:4')

test.each([true, false])('a found reservation has the state expected at its time: monotone %s', (monotone) => {
  const draw = fc.record({
    ends: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: topology.nodes, maxLength: topology.nodes }),
    size: fc.integer({ min: 1, max: topology.nodes + 1 }),
    before: fc.constantFrom(3, Infinity),
  })
  fc.assert(
    fc.property(draw, ({ ends, size, before }) => {
      const state = new ClusterState(topology)
      ends.forEach((estimatedEnd, node) =>
        state.apply({ job: `${node}`, nodes: [node], links: [], estimatedEnd, startOrder: node }),
      )
      // Like a policy that refuses a job although enough nodes are free.
      const ask = ({ freeNodes }: ClusterState): Placement | undefined =>
        freeNodes > size ? { ok: true, nodes: [], links: [] } : undefined
      const found = findReservation(state, size, monotone, before, ask)
      const times = [...new Set(ends)].filter((time) => time < before).sort((a, b) => a - b)
      expect(found?.start).toBe(times.find((time) => ends.filter((end) => end <= time).length > size))
      if (found === undefined) return
      const anew = state.fork()
      anew.releaseUntil(found.start)
      expect(found.expected.isEqual(anew)).toBe(true)
      anew.drop()
      found.expected.drop()
    }),
  )
})
