import type { ForwardingTables } from '@cloister/placement'
import { routerSuite } from '@cloister/placement/testing'
import { parseTopology } from '@cloister/topology'
import { expect, test } from 'vitest'
import { templated } from '../src/index.ts'

routerSuite(templated)

test('the router templated leaves out a failed uplink, and uses the uplink again after its repair', () => {
  // Three leaves of four nodes. Each leaf has two uplinks, ports 4 and 5.
  const tables = templated.make(parseTopology('pgft:2;4,3;1,2;1,1')) as ForwardingTables
  const towardsSecondLeaf = (): ReadonlyArray<number> => [4, 5, 6, 7].map((node) => tables.port(0, 0, node))
  expect(towardsSecondLeaf()).toEqual([4, 5, 4, 5])
  tables.change!('down', { nodes: [], links: [[0]] })
  expect(towardsSecondLeaf()).toEqual([5, 5, 5, 5])
  tables.change!('up', { nodes: [], links: [[0]] })
  expect(towardsSecondLeaf()).toEqual([4, 5, 4, 5])
})
