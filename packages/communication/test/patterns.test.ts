import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { type Pattern, patternNames, patternOf } from '../src/index.ts'
import { gridOf } from '../src/patterns.ts'

type Visit = readonly [first: number, second: number, size: number]
interface Step {
  readonly times: number
  readonly visits: ReadonlyArray<Visit>
}

function stepsOf(pattern: Pattern, ranks: number): ReadonlyArray<Step> {
  const steps: Array<Step> = []
  let visits: Array<Visit> = []
  pattern.forEachPair(
    ranks,
    (first, second, size) => visits.push([first, second, size]),
    (times) => {
      steps.push({ times, visits })
      visits = []
    },
  )
  expect(visits, 'the last step ends').toEqual([])
  return steps
}

/** Returns the pairs of each step of a pattern, the lower rank of a pair first, in order. */
function peers(name: (typeof patternNames)[number], ranks: number): ReadonlyArray<ReadonlyArray<string>> {
  return stepsOf(patternOf(name), ranks).map(({ visits }) =>
    visits.map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`).sort(),
  )
}

/** Returns the pairs of each step of a pattern, computed from the partner of each rank in the step. */
function naivePeers(
  ranks: number,
  peer: ReadonlyArray<(rank: number) => number>,
): ReadonlyArray<ReadonlyArray<string>> {
  const all = Array.from({ length: ranks }, (_, rank) => rank)
  return peer.map((of) =>
    [
      ...new Set(
        all.flatMap((rank) => {
          const other = of(rank)
          return other >= 0 && other < ranks && other !== rank
            ? [`${Math.min(rank, other)}-${Math.max(rank, other)}`]
            : []
        }),
      ),
    ].sort(),
  )
}

function distances(ranks: number): ReadonlyArray<number> {
  const all: Array<number> = []
  for (let distance = 1; distance < ranks; distance *= 2) all.push(distance)
  return all
}

describe.each(Array.from({ length: 40 }, (_, ranks) => ranks))('patterns of %i ranks:', (ranks) => {
  test.each(patternNames)('the pattern %s visits pairs of two existing ranks, once a step', (name) => {
    for (const { times, visits } of stepsOf(patternOf(name), ranks)) {
      expect(times).toBeGreaterThan(0)
      expect(visits.length).toBeGreaterThan(0)
      const unordered = new Set<number>()
      for (const [first, second, size] of visits) {
        expect(first).not.toBe(second)
        expect(Math.min(first, second)).toBeGreaterThanOrEqual(0)
        expect(Math.max(first, second)).toBeLessThan(ranks)
        expect(size).toBeGreaterThan(0)
        unordered.add(Math.min(first, second) * ranks + Math.max(first, second))
      }
      expect(unordered.size).toBe(visits.length)
    }
  })

  it('recursive doubling flips one bit of the rank in each step from the last bit on, recursive halving from the first bit on', () => {
    const flips = distances(ranks).map((distance) => (rank: number) => rank ^ distance)
    expect(peers('recursive-doubling', ranks)).toEqual(naivePeers(ranks, flips))
    expect(peers('recursive-halving-vector-doubling', ranks)).toEqual(naivePeers(ranks, flips.toReversed()))
  })

  it.each(['binomial-tree', 'binomial-doubling'])(
    '%s reaches every rank once, from a rank that has the message',
    (name) => {
      const reached = new Set([0])
      for (const { visits } of stepsOf(patternOf(name)!, ranks)) {
        for (const [sender] of visits) expect(reached).toContain(sender)
        for (const [, receiver] of visits) {
          expect(reached).not.toContain(receiver)
          reached.add(receiver)
        }
      }
      expect(reached.size).toBe(Math.max(ranks, 1))
    },
  )

  it('all-to-all has one exchange between every two ranks', () => {
    const sent = new Map<string, number>()
    for (const { times, visits } of stepsOf(patternOf('all-to-all'), ranks)) {
      for (const [a, b, size] of visits) {
        const key = `${Math.min(a, b)}-${Math.max(a, b)}`
        sent.set(key, (sent.get(key) ?? 0) + times * size)
      }
    }
    expect(2 * sent.size).toBe(ranks === 0 ? 0 : ranks * (ranks - 1))
    for (const size of sent.values()) expect(size).toBe(2)
  })

  it('ring has as many steps as a message needs to reach every rank', () => {
    const sizes = stepsOf(patternOf('ring'), ranks).map(
      ({ times, visits }) => times * visits.reduce((sum, [, , size]) => sum + size, 0),
    )
    expect(sizes).toEqual(ranks < 2 ? [] : [(ranks - 1) * ranks])
  })
})

test('the stencil patterns have exchanges with ranks at distance one along one dimension of the grid', () => {
  for (let ranks = 1; ranks < 130; ranks++) {
    for (const dimensions of [2, 3] as const) {
      const grid = gridOf(ranks, dimensions)
      const place = (rank: number): ReadonlyArray<number> => {
        let rest = rank
        return grid.toReversed().map((extent) => {
          const at = rest % extent
          rest = (rest - at) / extent
          return at
        })
      }
      const expected: Array<string> = []
      for (let a = 0; a < ranks; a++) {
        for (let b = a + 1; b < ranks; b++) {
          if (place(a).reduce((sum, at, d) => sum + Math.abs(at - place(b)[d]), 0) === 1) expected.push(`${a}-${b}`)
        }
      }
      expect(peers(`stencil-${dimensions}d`, ranks).flat().sort()).toEqual(expected.sort())
    }
  }
})

test('gridOf gives a grid that is as nearly cubic as the divisors allow', () => {
  expect([gridOf(12, 2), gridOf(12, 3), gridOf(64, 3), gridOf(7, 3), gridOf(36, 2)]).toEqual([
    [4, 3],
    [3, 2, 2],
    [4, 4, 4],
    [7, 1, 1],
    [6, 6],
  ])
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5000 }), fc.constantFrom(2, 3), (ranks, dimensions) => {
      const grid = gridOf(ranks, dimensions)
      expect(grid.reduce((product, extent) => product * extent, 1)).toBe(ranks)
      expect(grid).toEqual([...grid].sort((a, b) => b - a))
    }),
  )
})

test('patternOf is undefined for an unknown name', () => {
  expect(['halo', '', 'constructor', 'Ring'].map((name) => patternOf(name))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})
