import { parseTopology, type Topology } from '@cloister/topology'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Allocation,
  checksumOfMasks,
  ClusterState,
  MaskedAllocation,
  type MaskedResources,
  MaskedPlacement,
  MaskBuilder,
  maskWords,
  outcomeDefect,
  placementDefect,
  withIds,
} from '../src/index.ts'

/** Machines whose leaves and L2 switches need one mask, or two masks. */
const machines = ['radix:4', 'pgft:3;34,2,2;1,34,2;1,1,1', 'pgft:3;2,34,2;1,2,34;1,1,1', 'pgft:2;3,40;1,5;1,2'].map(
  (spec) => parseTopology(spec),
)

interface Ids {
  readonly topology: Topology
  readonly nodes: ReadonlyArray<number>
  readonly links: ReadonlyArray<ReadonlyArray<number>>
}

const someIds = (count: number): fc.Arbitrary<ReadonlyArray<number>> =>
  fc.uniqueArray(fc.nat(count - 1), { maxLength: Math.min(count, 90) }).map((ids) => ids.toSorted((a, b) => a - b))
const ids: fc.Arbitrary<Ids> = fc
  .constantFrom(...machines)
  .chain((topology) =>
    fc.record({
      topology: fc.constant(topology),
      nodes: someIds(topology.nodes),
      links: fc.tuple(...topology.levels.map(({ links }) => (links === 0 ? fc.constant([]) : someIds(links)))),
    }),
  )

/** Makes a placement that is given by masks from ids. */
function placementOf({ topology, nodes, links }: Ids): MaskedPlacement {
  const builder = new MaskBuilder(maskWords(topology))
  const each = (
    ids: ReadonlyArray<number>,
    first: Int32Array,
    add: (sw: number, word: number, mask: number) => void,
  ): void => {
    for (let sw = 0; sw + 1 < first.length; sw++) {
      const own = ids.filter((id) => id >= first[sw] && id < first[sw + 1]).map((id) => id - first[sw])
      for (let word = 0; word < 3; word++)
        add(
          sw,
          word,
          own.filter((id) => id >>> 5 === word).reduce((mask, id) => mask | (1 << (id & 31)), 0),
        )
    }
  }
  each(nodes, topology.firstNodeOfLeaf, (leaf, word, mask) => builder.addNodes(leaf, word, mask))
  links.forEach((level, at) =>
    each(level, topology.levels[at].firstPort, (sw, word, mask) => builder.addLinks(at, sw, word, mask)),
  )
  return new MaskedPlacement(builder.take())
}

const trimmed = (links: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<ReadonlyArray<number>> =>
  links.slice(0, links.findLastIndex((level) => level.length > 0) + 1)

describe('a placement that is given by masks', () => {
  it('has the ids of its masks, and is as valid as a placement with these ids', () => {
    fc.assert(
      fc.property(ids, (given) => {
        const placement = placementOf(given)
        expect(placement.nodes).toEqual(given.nodes)
        expect(placement.links).toEqual(trimmed(given.links))
        expect(outcomeDefect(placement)).toBeUndefined()
        expect(placementDefect(given.topology, placement)).toBeUndefined()
      }),
    )
  })

  it('changes a state like a placement with the same ids', () => {
    fc.assert(
      fc.property(ids, (given) => {
        const job = { job: 'a', communicates: false, estimatedEnd: 1, startOrder: 0 }
        const { masks, nodes, links } = placementOf(given)
        const allocations: ReadonlyArray<Allocation> = [
          new MaskedAllocation(masks, { ...job, bandwidth: undefined }),
          { ...job, nodes, links },
        ]
        const states = allocations.map((allocation) => {
          const state = new ClusterState(given.topology)
          expect(state.isFree(allocation)).toBe(true)
          state.apply(allocation)
          return state
        })
        expect(states[0].isEqual(states[1])).toBe(true)
      }),
    )
  })

  it('can be copied with a further field: the copy has the same ids', () => {
    fc.assert(
      fc.property(ids, (given) => {
        const placement = placementOf(given)
        const copy = withIds(Object.assign({}, placement, { note: 'a note' }))
        expect(copy).toMatchObject({ ok: true, note: 'a note', nodes: given.nodes, links: trimmed(given.links) })
        expect(withIds(placement)).toBe(placement)
      }),
    )
  })
})

describe('checksumOfMasks', () => {
  const topology = parseTopology('radix:4')
  const words = maskWords(topology)
  const sum = (
    nodes: MaskedResources['nodes'],
    ...links: ReadonlyArray<MaskedResources['nodes']>
  ): number | undefined => checksumOfMasks(words, { nodes, links })

  it('reveals a further node, and a node less', () => {
    fc.assert(
      fc.property(ids, fc.nat(), (given, any) => {
        const node = any % given.topology.nodes
        const without = given.nodes.filter((id) => id !== node)
        const nodes = [...without, node].toSorted((a, b) => a - b)
        const known = maskWords(given.topology)
        const [less, more] = [without, nodes].map((own) => placementOf({ ...given, nodes: own }).masks)
        expect(checksumOfMasks(known, more)).not.toBe(checksumOfMasks(known, less))
      }),
    )
  })

  it.each<[string, ReadonlyArray<MaskedResources['nodes']>]>([
    ['a leaf that does not exist', [[8, 8, 1, 1]]],
    ['a node that does not exist', [[0, 0, 0b100, 1]]],
    ['a word of another leaf', [[0, 1, 1, 1]]],
    ['an empty mask', [[0, 0, 0, 0]]],
    ['a wrong count', [[0, 0, 0b11, 1]]],
    ['leaves that descend', [[1, 1, 1, 1, 0, 0, 1, 1]]],
    ['a leaf that is named twice', [[0, 0, 1, 1, 0, 0, 2, 1]]],
    ['a number that is no integer', [[0.5, 0.5, 1, 1]]],
    ['links of a level that does not exist', [[0, 0, 1, 1], [], [], [0, 0, 1, 1]]],
    [
      'a link that does not exist',
      [
        [0, 0, 1, 1],
        [0, 0, 0b100, 1],
      ],
    ],
  ])('refuses %s', (_, [nodes, ...links]) => {
    expect(sum([0, 0, 0b11, 2], [0, 0, 0b10, 1])).toBeTypeOf('number')
    expect(sum(nodes, ...links)).toBeUndefined()
  })
})
