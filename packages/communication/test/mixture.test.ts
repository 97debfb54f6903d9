import { parseTopology } from '@cloister/topology'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { adjustedRunTime, communicationCost, patternNames, patternOf, patternParts, runTimeOn } from '../src/index.ts'

const topology = parseTopology('kary:4:3')
const parts = fc.uniqueArray(
  fc.record({ name: fc.constantFrom(...patternNames), weight: fc.integer({ min: 1, max: 20 }) }),
  { minLength: 2, maxLength: 3, selector: ({ name }) => name },
)
const ranks = fc.shuffledSubarray(
  Array.from({ length: topology.nodes }, (_, node) => node),
  { minLength: 2, maxLength: 12 },
)
const others = (leaf: number): number => leaf % 3

it('communicationCost of a mixture is the weighted sum of the costs of its parts', () => {
  fc.assert(
    fc.property(parts, ranks, (mixed, nodes) => {
      const name = mixed.map((part) => `${part.name}*${part.weight}`).join('+')
      const costs = mixed.map((part) => part.weight * communicationCost(topology, others, nodes, patternOf(part.name)))
      expect(communicationCost(topology, others, nodes, patternOf(name)!)).toBeCloseTo(
        costs.reduce((sum, cost) => sum + cost, 0),
        6,
      )
      expect(
        patternParts(name)
          ?.map(({ pattern, weight }) => `${pattern.name}*${weight}`)
          .join('+'),
      ).toBe(name)
    }),
  )
})

it('runTimeOn changes each part of the communication time by the cost of its own pattern', () => {
  fc.assert(
    fc.property(
      parts,
      ranks,
      ranks,
      fc.integer({ min: 1, max: 1000 }),
      fc.nat(1_000_000),
      (mixed, some, more, share, runTime) => {
        const length = Math.min(some.length, more.length)
        const [nodes, byDefault] = [some.slice(0, length), more.slice(0, length)]
        const whole = mixed.reduce((sum, { weight }) => sum + weight, 0)
        const ratio = (name: (typeof mixed)[number]['name']): number =>
          communicationCost(topology, others, nodes, patternOf(name)) /
          communicationCost(topology, others, byDefault, patternOf(name))
        const expected = mixed.reduce(
          (time, { name, weight }) => time + runTime * (share / 1000) * (weight / whole) * (ratio(name) - 1),
          runTime,
        )
        expect(
          Math.abs(
            runTimeOn(
              topology,
              others,
              runTime,
              { pattern: mixed.map(({ name, weight }) => `${name}*${weight}`).join('+'), share },
              nodes,
              byDefault,
            ) - expected,
          ),
        ).toBeLessThanOrEqual(mixed.length)
      },
    ),
  )
  const [a, b] = [
    [0, 1, 2, 3],
    [0, 5, 10, 15],
  ]
  const cost = (nodes: ReadonlyArray<number>): number => communicationCost(topology, others, nodes, patternOf('ring'))
  expect(runTimeOn(topology, others, 10_000, { pattern: 'ring', share: 500 }, b, a)).toBe(
    adjustedRunTime(10_000, 500, cost(b), cost(a)),
  )
  expect(runTimeOn(topology, others, 10_000, { pattern: 'ring', share: 500 }, b, b)).toBe(10_000)
})

it('patternOf is undefined for mixtures of unknown patterns and for mixtures in another notation', () => {
  for (const name of [
    'ring*1',
    'ring+pairs',
    'ring*0+pairs*1',
    'ring*1+gossip*2',
    'ring*1+',
    '__proto__',
    'ring*1+constructor*1',
  ])
    expect(patternOf(name)).toBeUndefined()
  expect(() => runTimeOn(topology, others, 1, { pattern: 'gossip', share: 1 }, [0, 1], [0, 1])).toThrow(
    // The name of a pattern may come from an untrusted log, so the error must be readable.
    expect.objectContaining({ _tag: 'PatternError', message: 'the communication pattern "gossip" is unknown' }),
  )
})
