import { parseTopology } from '@cloister/topology'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { policyChecks, runChecks } from '../src/checks.ts'
import { ClusterState } from '../src/state.ts'
import { CheckedStates, commands, everything, machines } from './commands.ts'
import { firstNodes, placing } from './sample-policies.ts'

test('lastEndOnLeaf and endOfLink agree with a plain model at the first call, after any history', () => {
  fc.assert(
    fc.property(machines, commands, (machine, history) => {
      const made = CheckedStates.after(machine, history)
      for (const { real, naive } of made.states) {
        const { lastEndOnLeaf, endOfLink, freeNodesAtDecision } = everything(made.topology, real)
        expect({ lastEndOnLeaf, endOfLink, freeNodesAtDecision }).toEqual({
          lastEndOnLeaf: everything(made.topology, naive)['lastEndOnLeaf'],
          endOfLink: everything(made.topology, naive)['endOfLink'],
          freeNodesAtDecision: everything(made.topology, naive)['freeNodesAtDecision'],
        })
      }
    }),
    { numRuns: 60 },
  )
})

describe('on a leaf of two nodes, one of which a job holds until 50 ms,', () => {
  const topology = parseTopology('radix:4')
  const held = { job: 'a', nodes: [0], links: [[0], [0]], estimatedEnd: 50, startOrder: 0 }
  const started = (): ClusterState => {
    const state = new ClusterState(topology)
    state.apply(held)
    return state
  }
  const ends = (state: ClusterState): Array<number> => [
    state.lastEndOnLeaf(0),
    state.endOfLink(0, 0),
    state.endOfLink(1, 0),
    state.freeNodesAtDecision(0),
  ]

  test('lastEndOnLeaf and endOfLink return 0 for leaves and links without a job', () => {
    expect(ends(started())).toEqual([50, 50, 50, 1])
    expect([started().lastEndOnLeaf(1), started().endOfLink(0, 1), started().freeNodesAtDecision(1)]).toEqual([0, 0, 2])
  })

  test('lastEndOnLeaf and endOfLink return 0 for leaves and links that are only withheld or down', () => {
    for (const operation of ['withhold', 'fail'] as const) {
      const fork = started().fork()
      fork[operation]({ nodes: [1, 2], links: [[1], [1]] })
      expect(ends(fork)).toEqual([50, 50, 50, 0])
      expect([fork.lastEndOnLeaf(1), fork.endOfLink(0, 1), fork.endOfLink(1, 1), fork.freeNodesAtDecision(1)]).toEqual([
        0, 0, 0, 1,
      ])
      // The end of a job stays the same if its nodes and links fail or are withheld.
      fork[operation](held)
      expect(ends(fork)).toEqual([50, 50, 50, 0])
    }
  })

  test('lastEndOnLeaf returns the new estimated end of a job past its estimate', () => {
    const state = started()
    expect(ends(state)[0]).toBe(50)
    state.reestimate(held, 61)
    expect(ends(state)).toEqual([61, 61, 61, 1])
  })

  test('in an expected state lastEndOnLeaf counts the released job, and freeNodesAtDecision does not count its node', () => {
    const later = started().fork()
    later.releaseUntil(70)
    expect(later.freeNodesOnLeaf(0)).toBe(2)
    expect(ends(later)).toEqual([50, 50, 50, 1])
    later.hasEnded(held)
    expect(ends(later)).toEqual([0, 0, 0, 2])
  })
})

test('a policy that reads the ends of jobs and returns a score as a note passes all checks', () => {
  const policy = firstNodes({
    place: placing((placement, _, state) => ({
      ...placement,
      note: { score: state.lastEndOnLeaf(0) + state.endOfLink(0, 0) + state.freeNodesAtDecision(0) },
    })),
  })
  const outcomes = [...runChecks(policyChecks(policy, { histories: 1 }))]
  expect(outcomes.filter(({ outcome }) => outcome === 'failed')).toEqual([])
})
