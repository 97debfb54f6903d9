import { Draw } from '@cloister/placement/testing'
import { parseTopology } from '@cloister/topology'
import { expect, test } from 'vitest'
import { checkMachine, drawnAllocations, minimalAllocations } from './machines.ts'

test('every allocation of radix 4 that meets the rule of CONDITION.md without a spare link has routes, and breaks the rule if any link is removed', () => {
  const topology = parseTopology('radix:4')
  const counts = checkMachine(topology, minimalAllocations(topology), { whole: 3, sampled: 2 })
  expect(counts).toEqual({ allocations: 681, permutations: 1377, removed: 15_521, needed: 15_521 })
})

test('random allocations of radix 6 that meet the rule of CONDITION.md have routes, with and without spare links', () => {
  const topology = parseTopology('radix:6')
  const { allocations, removed, needed } = checkMachine(topology, drawnAllocations(topology, new Draw(1), 60), {
    whole: 3,
    sampled: 5,
  })
  expect(allocations).toBe(60)
  expect(needed).toBeLessThan(removed)
  expect(needed).toBeGreaterThan(removed / 2)
})
