import { parseTopology, switchGraph, type Topology } from '@cloister/topology'

/** Topology on which the suite checks policies. `code` makes the topology in a printed test. */
export interface Machine {
  readonly topology: Topology
  readonly code: string
}

/**
 * Small trees with one to four levels: full bisection, tapered, with parallel cables. Small trees come first, because
 * the suite shows a fault on the first machine that has the fault.
 */
const trees = [
  'radix:4',
  'radix:6',
  'radix:8',
  'pgft:3;4,3,3;1,2,2;1,1,1',
  'pgft:3;4,4,3;1,4,2;1,1,2',
  'pgft:3;4,3,3;1,2,2;1,2,2',
  'pgft:2;4,6;1,4;1,1',
  'pgft:1;9;1;1',
  'kary:2:4',
]

/**
 * Trees that exceed the 32 bits of a mask word: over 32 and over 64 nodes and up-ports of a leaf, over 32 leaves of a
 * pod, over 64 pods. The last tree has the size of a cluster instead: 686 nodes.
 */
const wideTrees = [
  'pgft:2;40,3;1,40;1,1',
  'pgft:2;70,2;1,70;1,1',
  'pgft:3;2,40,2;1,2,40;1,1,1',
  'pgft:3;2,2,70;1,2,2;1,1,1',
  'radix:14',
]

const unevenLeaves = `switchGraph({
    name: 'graph',
    leaves: [3, 5, 2, 4],
    parents: [[[0, 1], [0, 1], [2], [2]], [[0], [0], [0]]],
  })`
const graph = (): Topology =>
  switchGraph({
    name: 'graph',
    leaves: [3, 5, 2, 4],
    parents: [
      [[0, 1], [0, 1], [2], [2]],
      [[0], [0], [0]],
    ],
  })

const wideLeaves = `switchGraph({
    name: 'wide graph',
    leaves: [70, 40, 64, 32, 3, 65, 70, 33, 128, 31, 96],
    parents: [[[0], [0], [0], [0], [1], [1], [1], [1], [2], [2], [2]], [[0], [0], [0]]],
  })`
const wideGraph = (): Topology =>
  switchGraph({
    name: 'wide graph',
    leaves: [70, 40, 64, 32, 3, 65, 70, 33, 128, 31, 96],
    parents: [
      [[0], [0], [0], [0], [1], [1], [1], [1], [2], [2], [2]],
      [[0], [0], [0]],
    ],
  })

const tree = (spec: string): Machine => ({ topology: parseTopology(spec), code: `parseTopology('${spec}')` })

export function sampleMachines(): ReadonlyArray<Machine> {
  return [
    ...trees.map(tree),
    { topology: graph(), code: unevenLeaves },
    ...wideTrees.map(tree),
    { topology: wideGraph(), code: wideLeaves },
  ]
}

/** Returns a machine of the option `topologies`. A printed test names an irregular one by the variable `topology`. */
export function givenMachine(topology: Topology): Machine {
  return {
    topology,
    code: topology.pgft === undefined ? `topology /* ${topology.name} */` : `parseTopology('${topology.name}')`,
  }
}
