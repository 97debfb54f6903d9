import fc from 'fast-check'
import { expect, test } from 'vitest'
import { coordinates, parseTopology, pgft, switchAt, switchGraph, TopologyError } from '../src/index.ts'
import { shapes } from './arbitraries.ts'

test('switchAt is the inverse of coordinates, and the ids of switches ascend in the lexicographic order of coordinates', () => {
  fc.assert(
    fc.property(shapes, (shape) => {
      const topology = pgft(shape)
      topology.levels.forEach(({ switches }, level) => {
        let before: number[] = []
        for (let sw = 0; sw < switches; sw++) {
          const place = coordinates(topology, level, sw)
          expect(place.subtree.length).toBe(shape.m.length - 1 - level)
          expect(place.parallel.length).toBe(level + 1)
          expect(switchAt(topology, level, place)).toBe(sw)
          const digits = [...place.subtree, ...place.parallel]
          const changed = digits.findIndex((digit, i) => digit !== before[i])
          if (sw > 0) expect(digits[changed]).toBeGreaterThan(before[changed])
          before = digits
        }
      })
    }),
    { numRuns: 50 },
  )
})

test('coordinates gives pod 2 and number 5 for L2 switch 5 of pod 2 of radix:18', () => {
  const topology = parseTopology('radix:18')
  expect(coordinates(topology, 1, 2 * 9 + 5)).toEqual({ subtree: [2], parallel: [0, 5] })
  expect(switchAt(topology, 2, { subtree: [], parallel: [0, 5, 3] })).toBe(5 * 9 + 3)
})

test('coordinates and switchAt refuse missing switches and levels', () => {
  const topology = parseTopology('radix:4')
  expect(() => coordinates(topology, 1, 8)).toThrow('level 1 has no switch 8')
  expect(() => coordinates(topology, 3, 0)).toThrow('there is no level 3, only 0 to 2')
  expect(() => switchAt(topology, 1, { subtree: [4], parallel: [0, 0] })).toThrow(
    'coordinate 0: expected a digit from 0 to 3, found 4',
  )
  expect(() => switchAt(topology, 1, { subtree: [], parallel: [0, 0] })).toThrow(
    'expected 1 subtree and 2 parallel digits',
  )
  expect(() => coordinates(switchGraph({ name: 'x', leaves: [1], parents: [] }), 0, 0)).toThrow(TopologyError)
})
