import { parseTopology, seededDraws, type Topology } from '@cloister/topology'
import { expect, test } from 'vitest'
import { ClusterState, freeNodeIdsOfPart, freeNodesOfPart, partsOfBlocks } from '../src/index.ts'

test('the parts of all blocks have each node once, and the free nodes of a part are those of the state', () => {
  const draw = seededDraws(1)
  for (let at = 0; at < 200; at++) {
    const tree = parseTopology('pgft:2;3,4;1,3;1,1')
    const groups = Map.groupBy(
      Array.from({ length: 12 }, (_, node) => node),
      () => draw(1 + (at % 5)),
    )
    const blocks = [...groups].map(([name, nodes]) => ({ name: `b${name}`, nodes: Int32Array.from(nodes) }))
    const machine: Topology = at % 10 === 0 ? tree : { ...tree, blocks }
    const state = new ClusterState(machine)
    const busy = Array.from({ length: 12 }, (_, node) => node).filter(() => draw(2) === 0)
    state.fail({ nodes: busy, links: [] })
    const { parts, firstPart, firstNode } = partsOfBlocks(machine)
    const expected =
      machine.blocks?.map(({ nodes }) => [...nodes]) ?? [0, 3, 6, 9].map((first) => [first, first + 1, first + 2])
    for (const [block, nodes] of expected.entries()) {
      const own = parts.slice(firstPart[block], firstPart[block + 1])
      expect(firstNode[block + 1] - firstNode[block]).toBe(nodes.length)
      const free = own.flatMap((part) => {
        const ids = new Int32Array(13)
        const count = freeNodeIdsOfPart(state, part, ids, 1)
        expect(freeNodesOfPart(state, part)).toBe(count)
        const written = [...ids.subarray(1, count + 1)]
        for (const node of written) expect(machine.leafOfNode[node]).toBe(part.leaf)
        return written
      })
      expect(own.reduce((sum, { size }) => sum + size, 0)).toBe(nodes.length)
      expect(free).toEqual(nodes.filter((node) => !busy.includes(node)))
    }
  }
})
