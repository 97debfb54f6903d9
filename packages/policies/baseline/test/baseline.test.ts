import { bindPolicy, ClusterState, type Request } from '@cloister/placement'
import { policySuite } from '@cloister/placement/testing'
import { parseTopology, switchGraph } from '@cloister/topology'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { baseline } from '../src/index.ts'

const topologies = [
  ...['radix:4', 'pgft:2;40,2;1,20;1,2', 'pgft:1;9;1;1'].map((spelling) => parseTopology(spelling)),
  switchGraph({ name: 'graph', leaves: [3, 40, 1], parents: [[[0], [0, 0], []]] }),
]
policySuite(baseline, { topologies })

test('places a job on the first free nodes of the machine, and refuses it only where there are too few', () => {
  const name = fc.constantFrom(...topologies.map((topology) => topology.name))
  fc.assert(fc.property(name, fc.uniqueArray(fc.nat(79), { maxLength: 60, size: 'max' }), fc.integer({ min: 1, max: 100 }), (named, down, nodes) => {
    const topology = topologies.find((each) => each.name === named)!
    const { placer } = bindPolicy(baseline, topology)
    const state = new ClusterState(topology)
    state.fail({ nodes: down.filter((node) => node < topology.nodes).sort((a, b) => a - b), links: [] })
    const free = [...topology.leafOfNode.keys()].filter((node) => !down.includes(node))
    const outcome = placer.place(state, request(nodes), undefined)
    if (nodes > topology.nodes) expect(outcome).toEqual({ ok: false, code: 'never', constraint: 'machine size' })
    else if (nodes > free.length) expect(outcome).toEqual({ ok: false, code: 'too-few-nodes', free: free.length })
    else expect(outcome).toEqual({ ok: true, nodes: Int32Array.from(free.slice(0, nodes)), links: [] })
  }), { numRuns: 500 })
})

test('has no options', () => {
  expect(() => bindPolicy(baseline, topologies[0], { order: 'last' })).toThrow(/^policy baseline: config \{"order":"last"\} is not valid: order: .*baseline has nothing to configure/)
})

function request(nodes: number): Request {
  return { purpose: 'start', job: 'job', nodes, now: 0, walltime: undefined, bandwidth: undefined, communication: undefined }
}
