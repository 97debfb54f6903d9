import type { ByteMatrix } from '@cloister/placement'
import { mapperSuite } from '@cloister/placement/testing'
import { parseTopology, seededDraws, type Topology } from '@cloister/topology'
import { expect, test } from 'vitest'
import { combalOrder, hopBytes, identity, topomatch } from '../src/index.ts'

for (const mapper of [identity, topomatch, combalOrder]) mapperSuite(mapper)

const cost = (topology: Topology, ranks: ArrayLike<number>, matrix: ByteMatrix): number =>
  hopBytes(topology, () => 0, ranks, matrix).plain

function* orders(nodes: ReadonlyArray<number>): Generator<ReadonlyArray<number>> {
  if (nodes.length < 2) return void (yield nodes)
  for (const [at, node] of nodes.entries()) for (const rest of orders(nodes.toSpliced(at, 1))) yield [node, ...rest]
}

test.each([
  ['two leaves', 'pgft:2;4,2;1,1;1,1', 8, 4, 1],
  ['leaves in two pods', 'pgft:3;2,2,2;1,1,1;1,1,1', 7, 6, 1.02],
])(
  'the hop-bytes of topomatch are nearly the least of all orders of ranks, for jobs on %s',
  (_, machine, most, cases, factor) => {
    const topology = parseTopology(machine)
    const draw = seededDraws(7)
    let [found, least] = [0, 0]
    for (let at = 0; at < cases; at++) {
      const nodes = Array.from(topology.leafOfNode.keys()).filter((node) => node !== at % topology.nodes)
      const used = nodes.slice(0, most - (at % 2))
      const matrix = used.map(() => used.map(() => (draw(3) === 0 ? 1 + draw(1000) : 0)))
      found += cost(topology, topomatch.map(topology, used, matrix), matrix)
      least += [...orders(used)].reduce((best, ranks) => Math.min(best, cost(topology, ranks, matrix)), Infinity)
    }
    expect(found).toBeLessThanOrEqual(factor * least)
  },
)

test('topomatch puts neighbours of a shuffled ring on one leaf, and communicating leaves in one pod', () => {
  const topology = parseTopology('pgft:3;4,2,2;1,1,1;1,1,1')
  const nodes = Array.from(topology.leafOfNode.keys())
  // Rank r has place 7 r mod 16 in the shuffled ring.
  const place = nodes.map((rank) => (7 * rank) % 16)
  const isNext = (a: number, b: number): boolean => (a + 1) % 16 === b || (b + 1) % 16 === a
  const matrix = nodes.map((a) => nodes.map((b) => (isNext(place[a], place[b]) ? 1000 : 0)))
  // Of the 16 messages of the ring, 12 stay on a leaf, 2 go between leaves of a pod, and 2 go between pods.
  expect(cost(topology, topomatch.map(topology, nodes, matrix), matrix)).toBe(1000 * (12 * 2 + 2 * 4 + 2 * 6))
  expect(cost(topology, identity.map(topology, nodes, matrix), matrix)).toBeGreaterThan(50_000)
})
