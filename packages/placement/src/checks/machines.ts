import { parseTopology, switchGraph, type Topology } from '@cloister/topology'

/** A machine that policies are checked on, and the expression that makes it again. */
export interface Machine {
  readonly topology: Topology
  readonly code: string
}

/** Small ones of every kind first, since what fails is shown on the first: full bisection, tapered, parallel cables, two levels, deep. */
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

/** Masks have words of 32: more nodes and ports of a leaf than one and two hold, more leaves of a pod, more pods. Then the many nodes of a cluster. */
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

/** Every machine of the suite, in the order in which they are tried. */
export function sampleMachines(): ReadonlyArray<Machine> {
  return [
    ...trees.map(tree),
    { topology: graph(), code: unevenLeaves },
    ...wideTrees.map(tree),
    { topology: wideGraph(), code: wideLeaves },
  ]
}

/** A machine that was handed in. Only regular trees have a spec that makes them. */
export function givenMachine(topology: Topology): Machine {
  return {
    topology,
    code: topology.pgft === undefined ? `topology /* ${topology.name} */` : `parseTopology('${topology.name}')`,
  }
}
