import { parseTopology } from '@cloister/topology'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { placementDefect } from '../src/bind.ts'

const topology = parseTopology('radix:4')
const ids = fc.array(
  fc.oneof({ weight: 20, arbitrary: fc.nat(15) }, { weight: 1, arbitrary: fc.constantFrom(-1, 16, 0.5, NaN) }),
  { maxLength: 4 },
)
/** radix:4 has 16 nodes, and 16 uplinks of leaves and of L2 switches each; no link leads up from a spine. */
const isFine = (list: ReadonlyArray<number>, count: number): boolean =>
  list.every((id, at) => Number.isInteger(id) && id >= 0 && id < count && (at === 0 || id > list[at - 1]))

test('placementDefect returns undefined if all ids of a placement exist and ascend', () => {
  fc.assert(
    fc.property(ids, fc.array(ids, { maxLength: 3 }), (nodes, links) => {
      const defect = placementDefect(topology, { ok: true, nodes, links })
      const fine = isFine(nodes, 16) && links.every((list, level) => isFine(list, level < 2 ? 16 : 0))
      if (fine) expect(defect).toBeUndefined()
      else expect(defect).toMatch(/^(node|level-\d link) \S+ (does not exist|follows)/)
    }),
    { numRuns: 1000 },
  )
})

test.each([
  [{ nodes: [3, 16], links: [] }, 'node 16 does not exist: ids go from 0 to 15'],
  [{ nodes: [3, 3], links: [] }, 'node 3 follows 3: ids must ascend, each once'],
  [{ nodes: [3], links: [[], [7, 2]] }, 'level-1 link 2 follows 7: ids must ascend, each once'],
  [{ nodes: [3, 4], links: [], ranks: [4, 5] }, 'rank 1 is on node 5, which is not in the placement'],
])('placementDefect reports the first fault of the placement %j', (resources, defect) => {
  expect(placementDefect(topology, { ok: true, ...resources })).toBe(defect)
})
