import { HostlistError, nodeName, parseHostlist, parseTopology } from '@cloister/topology'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NodeIds } from '../src/index.ts'

const topology = parseTopology('radix:4')
const names = Array.from({ length: topology.nodes }, (_, node) => nodeName(topology, node))

/** Returns the nodes of a hostlist by the names of its nodes, ascending; undefined for a wrong text or an unknown name. */
function byNames(hostlist: string): ReadonlyArray<number> | undefined {
  try {
    const nodes = parseHostlist(hostlist, topology.nodes).map((name) => names.indexOf(name))
    return nodes.includes(-1) ? undefined : [...new Set(nodes)].sort((a, b) => a - b)
  } catch (error) {
    if (error instanceof HostlistError) return undefined
    throw error
  }
}

test('NodeIds finds the nodes that the names of any hostlist have', () => {
  const number = fc.oneof(fc.nat(17).map(String), fc.constantFrom('03', '007', ''))
  const range = fc.oneof(
    number,
    fc.tuple(number, number).map((ends) => ends.join('-')),
  )
  const list = fc.array(range, { minLength: 1, maxLength: 3 }).map((ranges) => `node[${ranges.join()}]`)
  const entry = fc.oneof(
    list,
    number.map((at) => `node${at}`),
    fc.constantFrom('node1[0-3]', 'other[1-2]', 'node[1'),
  )
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 3 }), (entries) => {
      const hostlist = entries.join()
      const found = new NodeIds(topology).find(hostlist)
      expect('nodes' in found ? [...found.nodes] : undefined).toEqual(byNames(hostlist))
    }),
    { numRuns: 2000 },
  )
})
