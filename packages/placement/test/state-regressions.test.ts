import { parseTopology } from '@cloister/topology'
import { expect, test } from 'vitest'
import type { Allocation } from '../src/allocations.ts'
import { ClusterState } from '../src/state.ts'

// Each of these properties of ClusterState was broken once.

const shared = (): ClusterState => new ClusterState(parseTopology('radix:4'), { linkCapacity: 1000 })
const sharing: Allocation = { job: 'a', nodes: [0], links: [[0, 1]], bandwidth: 300, estimatedEnd: 0, startOrder: 0 }

test('capacityLeft returns 0 for a link that is down', () => {
  const state = shared()
  state.apply(sharing)
  state.fail({ nodes: [], links: [[0]] })
  expect([state.capacityLeft(0, 0), state.capacityLeft(0, 1)]).toEqual([0, 700])
  expect(() => state.apply({ ...sharing, job: 'b', nodes: [1] })).toThrow(
    'level-0 link 0 cannot apply 300 MB/s: 300 MB/s are in use',
  )
})

test('bandwidth withheld from an unused link on a fork does not mark the link as down', () => {
  const fork = shared().fork()
  fork.withhold({ nodes: [], links: [[0]] }, 300)
  expect(fork.capacityLeft(0, 0)).toBe(700)
  fork.restore({ nodes: [], links: [[0]] })
  expect(fork.isLinkFree(0, 0)).toBe(false)
})

test('bandwidth is not taken from a link that does not exist, nor twice from one link', () => {
  expect(() => shared().apply({ ...sharing, links: [[16]] })).toThrow('level-0 link 16 does not exist')
  expect(() => shared().apply({ ...sharing, links: [[0, 0]] })).toThrow('a level-0 link is named twice')
})

test('a link above the top level does not exist', () => {
  expect(() => shared().fail({ nodes: [], links: [[], [], [], [0]] })).toThrow('level-3 link 0 does not exist')
})

test('fail throws for a node or link that is named twice, even with a different id between the two', () => {
  expect(() => shared().fail({ nodes: [0, 9, 0], links: [] })).toThrow('node 0 follows 9: ids must ascend, each once')
  expect(() => shared().fail({ nodes: [], links: [[0, 9, 0]] })).toThrow(
    'level-0 link 0 follows 9: ids must ascend, each once',
  )
})

test('drop throws at the second call on a fork, and at every call on the origin', () => {
  const origin = shared()
  const fork = origin.fork()
  fork.drop()
  expect(() => fork.drop()).toThrow('only a fork can be dropped, and only once')
  expect(() => origin.drop()).toThrow('only a fork can be dropped, and only once')
  expect(origin.fork()).toBe(fork)
  expect(origin.fork()).not.toBe(fork)
})
