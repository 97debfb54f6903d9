import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  formatTopologyConf,
  nodeName,
  parseSlurmTopology,
  switchGraph,
  type SwitchGraph,
  switchName,
  TopologyError,
  withNodeNames,
} from '../src/index.ts'
import { fileOf, linksOf, slurmLines } from './arbitraries.ts'

const twoPods: SwitchGraph = {
  name: 'two pods',
  leaves: [2, 1, 3],
  parents: [
    [[0], [1, 0, 0], [2]],
    [[0], [0], [0]],
  ],
}

test('switchGraph builds a topology with uneven leaves, several parents and parallel cables', () => {
  const topology = switchGraph(twoPods)
  expect(topology).toMatchObject({ nodes: 6, leaves: 3, pods: 2 })
  expect([...topology.firstNodeOfLeaf]).toEqual([0, 2, 3, 6])
  expect([...topology.leafOfNode]).toEqual([0, 0, 1, 2, 2, 2])
  expect([...topology.firstLeafOfPod]).toEqual([0, 2, 3])
  expect([...topology.podOfLeaf]).toEqual([0, 0, 1])
  expect([...topology.firstL2OfPod]).toEqual([0, 2, 3])
  expect(topology.levels.map(({ switches, links }) => [switches, links])).toEqual([
    [3, 5],
    [3, 3],
    [1, 0],
  ])
  expect([...topology.levels[0].firstPort]).toEqual([0, 1, 4, 5])
  expect([...topology.levels[0].parentOfLink]).toEqual([0, 1, 0, 0, 2])
})

test('in a switch graph, a single level is a single pod, and a leaf without links up is a pod of its own', () => {
  expect(switchGraph({ name: 'x', leaves: [2, 2], parents: [] })).toMatchObject({ pods: 1, leaves: 2 })
  const lonely = switchGraph({ name: 'x', leaves: [1, 1, 1], parents: [[[0], [], [1]]] })
  expect(lonely.pods).toBe(3)
  expect([...lonely.firstL2OfPod]).toEqual([0, 1, 1, 2])
})

test('in a switch graph, links connect the leaves and L2 switches of a pod; pods are in the order of their first leaves', () => {
  expect(switchGraph({ name: 'x', leaves: [1, 1, 1], parents: [[[0], [1], [0, 1]]] }).pods).toBe(1)
  fc.assert(
    fc.property(slurmLines, (lines) => {
      const topology = parseSlurmTopology(fileOf(lines, lines), 'x')
      if (topology.levels.length === 1) return
      const podOfLeaf = Array.from({ length: topology.leaves }, (_, leaf) => leaf)
      const podOfL2 = Array<number>(topology.levels[1].switches).fill(topology.leaves)
      for (let changed = true; changed;) {
        changed = false
        for (const [leaf, , l2] of linksOf(topology, 0)) {
          const pod = Math.min(podOfLeaf[leaf], podOfL2[l2])
          changed ||= podOfLeaf[leaf] !== pod || podOfL2[l2] !== pod
          podOfLeaf[leaf] = podOfL2[l2] = pod
        }
      }
      const firstLeaves = [...new Set(podOfLeaf)]
      expect([...topology.firstLeafOfPod]).toEqual([...firstLeaves, topology.leaves])
      expect([...topology.podOfLeaf]).toEqual(podOfLeaf.map((first) => firstLeaves.indexOf(first)))
      expect([...topology.firstL2OfPod]).toEqual([
        ...firstLeaves.map((first) => podOfL2.filter((pod) => pod < first).length),
        podOfL2.length,
      ])
    }),
    { numRuns: 300 },
  )
})

describe('switchGraph refuses a graph with', () => {
  test.each<[string, Partial<Record<keyof SwitchGraph, unknown>>, string]>([
    ['no leaf', { leaves: [] }, 'leaves: expected the number of nodes of each leaf'],
    ['no leaves at all', { leaves: undefined }, 'leaves: expected'],
    ['an empty leaf', { leaves: [2, 0, 3] }, 'leaves[1]: expected a positive number of nodes, found 0'],
    ['a leaf of half a node', { leaves: [2, 0.5, 3] }, 'leaves[1]: expected a positive number of nodes, found 0.5'],
    [
      'an undefined size of a leaf',
      { leaves: [2, undefined, 3] },
      'leaves[1]: expected a positive number of nodes, found undefined',
    ],
    ['too many nodes', { leaves: [2 ** 22, 1, 1] }, 'leaves[1]: too large'],
    ['no parents', { parents: undefined }, 'parents: expected the parents of each level below the top'],
    [
      'too many levels',
      { parents: Array(16).fill([]) },
      'parents: expected the parents of each level below the top, at most 15',
    ],
    ['a leaf too few', { parents: [[[0], [0]]] }, 'parents[0]: expected 3 lists, one a switch of this level, found 2'],
    [
      'null for the parents of a level',
      { parents: [null] },
      'parents[0]: expected 3 lists, one a switch of this level, found none',
    ],
    [
      'a level that is text',
      { parents: [[[0], [0], [0]], 'x'] },
      'parents[1]: expected 1 lists, one a switch of this level, found none',
    ],
    ['no list of a switch', { parents: [[[0], 0, [0]]] }, 'parents[0][1]: expected a list of switches'],
    [
      'a parent out of range',
      { parents: [[[0], [1], [0]], [[0]]] },
      'parents[0][1]: expected a switch from 0 to 0, found 1',
    ],
    [
      'a negative parent',
      { parents: [[[0], [-1], [0]]] },
      'parents[0][1]: expected a switch from 0 to 4194303, found -1',
    ],
    ['a switch without children', { parents: [[[0], [2], [0]]] }, 'parents[0]: switch 1 of level 1 has no child'],
    ['a level without switches', { parents: [[[], [], []]] }, 'parents[0]: switch 0 of level 1 has no child'],
    [
      'leaves of a pod apart',
      { parents: [[[0], [1], [0]]] },
      'parents[0]: the leaves of a pod must be contiguous: number 2 belongs to pod 0, number 1 before it to pod 1',
    ],
    [
      'L2 switches of a pod apart',
      { parents: [[[0, 2], [0], [1]]] },
      'parents[0]: the L2 switches of a pod must be contiguous: number 2',
    ],
    ['too few node names', { nodeNames: ['a'] }, 'expected 6 node names, found 1'],
    ['a name twice', { nodeNames: ['a', 'b', 'c', 'd', 'e', 'a'] }, 'the node name "a" occurs twice'],
    ['a node name with a blank', { nodeNames: ['a', 'b', 'c', 'd', 'e', 'f g'] }, '"f g" is no node name'],
    [
      'too few switch names',
      {
        switchNames: [
          ['a', 'b', 'c'],
          ['d', 'e', 'f'],
        ],
      },
      'expected 1 switch names of level 2, found none',
    ],
    [
      'a switch name twice',
      { switchNames: [['a', 'b', 'c'], ['d', 'e', 'f'], ['a']] },
      'the switch name "a" occurs twice',
    ],
  ])('switchGraph refuses a graph with %s', (_, change, message) => {
    const attempt = (): unknown => switchGraph({ ...twoPods, ...change } as SwitchGraph)
    expect(attempt).toThrow(TopologyError)
    expect(attempt).toThrow(`two pods: ${message}`)
  })
})

test('nodeName and switchName return the names of the source, or invented names without a source', () => {
  const plain = switchGraph(twoPods)
  expect([nodeName(plain, 5), switchName(plain, 0, 2), switchName(plain, 1, 1), switchName(plain, 2, 0)]).toEqual([
    'node5',
    'leaf2',
    'l2-1',
    'spine0',
  ])
  const named = withNodeNames(switchGraph({ ...twoPods, switchNames: [['x', 'y', 'z'], ['p', 'q', 'r'], ['top']] }), [
    'a',
    'b',
    'c',
    'd',
    'e',
    'f',
  ])
  expect([nodeName(named, 5), switchName(named, 0, 2), switchName(named, 2, 0)]).toEqual(['f', 'z', 'top'])
  expect(formatTopologyConf(named)).toBe(
    'SwitchName=x Nodes=a,b\nSwitchName=y Nodes=c\nSwitchName=z Nodes=d,e,f\nSwitchName=p Switches=x,y\nSwitchName=q Switches=y\nSwitchName=r Switches=z\nSwitchName=top Switches=p,q,r\n',
  )
  expect(() => withNodeNames(plain, ['a'])).toThrow('two pods: expected 6 node names, found 1')
})
