import { parseTopology } from '@cloister/topology'
import { expect, test } from 'vitest'
import { Draw, relabeling } from '../src/checks/draws.ts'

const specs = [
  'radix:4',
  'radix:6',
  'pgft:3;4,3,3;1,2,2;1,2,2',
  'pgft:3;4,4,3;1,4,2;1,1,2',
  'pgft:2;4,6;1,4;1,1',
  'kary:2:4',
  'cab',
]

test.each(specs)(
  'on the topology %s, relabeling keeps connected nodes and switches connected when equal subtrees change places',
  (spec) => {
    const topology = parseTopology(spec)
    const { levels, leafOfNode, nodes } = topology
    for (let seed = 1; seed <= 5; seed++) {
      const { node, link } = relabeling(topology, new Draw(seed))
      /** Image of each switch of a level; undefined until a connected node or link fixes the image. */
      const places = levels.map(() => new Map<number, number>())
      const moves = (level: number, from: number, to: number): void => {
        expect(places[level].get(from) ?? to).toBe(to)
        places[level].set(from, to)
      }
      for (let id = 0; id < nodes; id++) moves(0, leafOfNode[id], leafOfNode[node(id)])
      levels.forEach(({ links, firstPort, parentOfLink }, level) => {
        const switchOf = (id: number): number => firstPort.findLastIndex((first) => first <= id)
        for (let id = 0; id < links; id++) {
          moves(level, switchOf(id), switchOf(link(level)(id)))
          moves(level + 1, parentOfLink[id], parentOfLink[link(level)(id)])
        }
        expect(new Set(Array.from({ length: links }, (_, id) => link(level)(id))).size).toBe(links)
      })
      for (const [level, { switches }] of levels.entries()) expect(new Set(places[level].values()).size).toBe(switches)
      expect(new Set(Array.from({ length: nodes }, (_, id) => node(id))).size).toBe(nodes)
    }
  },
)
