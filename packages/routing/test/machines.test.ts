import { Draw } from '@cloister/placement/testing'
import { parseTopology } from '@cloister/topology'
import { expect, test } from 'vitest'
import { checkMachine, drawnAllocations, minimalAllocations } from './machines.ts'

test('every allocation of radix 4 that keeps the rule without a link to spare is routed, and breaks it without any of its links', () => {
  const topology = parseTopology('radix:4')
  const counts = checkMachine(topology, minimalAllocations(topology), { whole: 3, sampled: 2 })
  expect(counts).toEqual({ allocations: 681, permutations: 1377, removed: 15_521, needed: 15_521 })
})

test('allocations of radix 6 that are drawn are routed, those with links to spare too', () => {
  const topology = parseTopology('radix:6')
  const { allocations, removed, needed } = checkMachine(topology, drawnAllocations(topology, new Draw(1), 60), {
    whole: 3,
    sampled: 5,
  })
  expect(allocations).toBe(60)
  expect(needed).toBeLessThan(removed)
  expect(needed).toBeGreaterThan(removed / 2)
})
