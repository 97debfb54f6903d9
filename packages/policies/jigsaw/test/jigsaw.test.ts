import { bindPolicy, type Outcome } from '@cloister/placement'
import { ask } from '@cloister/placement/testing'
import { formatIdset, parseIdset, parseTopology, switchGraph } from '@cloister/topology'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jigsaw } from '../src/index.ts'
import { brokenResources, jigsawOn } from './bound-jigsaw.ts'

/** Returns a placement with its nodes and links as idsets, or a refusal unchanged. */
function told(outcome: Outcome): unknown {
  return outcome.ok ? [outcome.nodes, ...outcome.links].map((ids) => formatIdset(ids)) : outcome
}

/**
 * Returns Jigsaw's answer on radix:6 with failed resources. Leaf l has nodes and uplinks 3l to 3l + 2; L2 switch s has
 * spine links 3s to 3s + 2.
 */
function onRadix6(
  broken: { nodes?: string; leafLinks?: string; l2Links?: string },
  size: number,
  config = {},
): unknown {
  const { placer, state } = jigsawOn('radix:6', config)
  state.fail({
    nodes: parseIdset(broken.nodes ?? ''),
    links: [parseIdset(broken.leafLinks ?? ''), parseIdset(broken.l2Links ?? '')],
  })
  return told(ask(placer, state, size))
}

describe("Jigsaw's placements against placements found by hand", () => {
  test('Jigsaw places a job on one leaf with any nodes and no links', () => {
    expect(onRadix6({ nodes: '0-1,4' }, 2)).toEqual(['3,5'])
    expect(onRadix6({ nodes: '0-1,4', leafLinks: '0-8' }, 2)).toEqual(['3,5'])
  })

  test('Jigsaw with leafJobsHoldUplinks takes a leaf with enough free uplinks', () => {
    expect(onRadix6({ nodes: '0-1,4', leafLinks: '4-5,7' }, 2, { leafJobsHoldUplinks: true })).toEqual(['6-7', '6,8'])
  })

  test('Jigsaw places a job in one pod on full leaves over common L2 switches, and a remainder leaf over some of these switches', () => {
    // No leaf has 3 nodes with 3 uplinks. Leaf 0 reaches L2 switches 0 and 2. Leaf 1 reaches all L2 switches and has
    // two nodes. Leaf 2 reaches only L2 switch 2.
    expect(onRadix6({ nodes: '3,9-53', leafLinks: '1,6-7' }, 5)).toEqual(['0-1,4-6', '0,2-3,5,8'])
  })

  test('Jigsaw may take a remainder leaf with a lower id than the full leaves', () => {
    expect(onRadix6({ nodes: '0-1,9-53' }, 7)).toEqual(['2-8', '0,3-8'])
  })

  test('Jigsaw places a job that fits on no leaf on leaves of one pod (Figure 2, right, of the Jigsaw paper)', () => {
    expect(onRadix6({ nodes: '0,3,6,9-53' }, 3)).toEqual(['1-2,4', '0-1,3'])
  })

  test('Jigsaw places a job on full pods and a remainder pod with a remainder leaf (Figure 3 of the Jigsaw paper)', () => {
    // Pods 0 and 1 have two whole leaves each; pod 2 has one whole leaf and a leaf with one node, which reaches only L2
    // index 1. From pod 0, L2 index 1 reaches spines 1 and 2 of its group. From pod 1, L2 index 2 reaches spines 0 and
    // 2 of its group.
    expect(onRadix6({ nodes: '6-8,15-17,22-53', leafLinks: '21,23', l2Links: '3,16' }, 16)).toEqual([
      '0-5,9-14,18-21',
      '0-5,9-14,18-20,22',
      '0-1,4-6,8-10,13-15,17-18,22-24',
    ])
  })

  test('Jigsaw may take a remainder pod with a lower id than the full pods', () => {
    expect(onRadix6({ nodes: '3-8,27-53' }, 21)).toEqual(['0-2,9-26', '0-2,9-26', '0,3,6,9-26'])
  })

  test('Jigsaw takes equally many parallel cables to each spine in all full pods, whichever cables are free', () => {
    // An L2 switch has four up-ports: even ports lead to its first spine, odd ports to its second spine. Link 0 is
    // broken, so pod 0 cannot be full. Pod 0 is the remainder pod with two whole leaves, and each of its L2 switches
    // has a cable to each of its two spines.
    const { placer, state } = jigsawOn('pgft:3;4,4,3;1,4,2;1,1,2')
    state.fail({ nodes: [], links: [[], [0]] })
    expect(told(ask(placer, state, 24))).toEqual(['0-7,16-31', '0-7,16-31', '1-2,4-5,8-9,12-13,16-31'])
  })
})

describe('Jigsaw with the option order', () => {
  test('Jigsaw with order densest-first takes few leaves and pods, with sparsest-first many', () => {
    expect(onRadix6({}, 3)).toEqual(['0-2'])
    expect(onRadix6({}, 3, { order: 'sparsest-first' })).toEqual(['0,3,6', '0,3,6'])
    expect(onRadix6({}, 18)).toEqual(['0-17', '0-17', '0-17'])
    expect(onRadix6({}, 18, { order: 'sparsest-first' })).toEqual([
      '0-2,9-11,18-20,27-29,36-38,45-47',
      '0-2,9-11,18-20,27-29,36-38,45-47',
      '0,3,6,9,12,15,18,21,24,27,30,33,36,39,42,45,48,51',
    ])
  })
})

describe('refusals of Jigsaw', () => {
  test('a refusal of Jigsaw names the reason, and the first pod with the most free nodes', () => {
    expect(onRadix6({}, 55)).toEqual({ ok: false, code: 'never', constraint: 'machine size' })
    expect(onRadix6({ nodes: '0-49' }, 5)).toEqual({ ok: false, code: 'too-few-nodes', free: 4 })
    expect(onRadix6({ nodes: '0-1,3-4,6-7,9-10,12-13,15-53' }, 5)).toEqual({
      ok: false,
      code: 'no-placement',
      constraint: 'free leaves',
      nearest: { pod: 0, have: 3, need: 5 },
    })
    expect(onRadix6({ nodes: '0-7,9-10,12-13,15-16,18-19,21-22,24-25,27-53' }, 5)).toMatchObject({
      nearest: { pod: 1, have: 3, need: 5 },
    })
    expect(onRadix6({ nodes: '0-17,21-53', leafLinks: '0-53' }, 3)).toEqual(['18-20'])
    expect(onRadix6({ nodes: '0-17,20,23,26-53', leafLinks: '19-21,23-25' }, 4)).toMatchObject({
      code: 'no-placement',
      constraint: 'free leaves',
    })
    expect(onRadix6({ nodes: '0-17,20,23,26-53', leafLinks: '20-21,25' }, 4)).toMatchObject({
      code: 'no-placement',
      constraint: 'common uplinks',
    })
    expect(onRadix6({ nodes: '27-53', l2Links: '0-2' }, 27)).toMatchObject({
      code: 'no-placement',
      constraint: 'common spine links',
    })
  })
})

describe('Jigsaw with the option maxSteps', () => {
  test('Jigsaw with maxSteps claims neither monotone nor complete', () => {
    expect(jigsawOn('radix:6').placer.claims).toEqual({
      links: 'owned',
      rule: 'jigsaw-conditions',
      fullBandwidth: true,
      exactSize: true,
      monotone: true,
      complete: true,
      speedupScenarios: true,
    })
    expect(jigsawOn('radix:6', { maxSteps: 1000 }).placer.claims).toMatchObject({ monotone: false, complete: false })
  })

  test('Jigsaw refuses with search-bound at maxSteps, and answers as without maxSteps if the search takes fewer steps', () => {
    const codes = new Set<string>()
    fc.assert(
      fc.property(
        brokenResources(parseTopology('radix:6')),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 55 }),
        (broken, maxSteps, size) => {
          const [bounded, unbounded] = [{ maxSteps }, {}].map((config) => {
            const { placer, state } = jigsawOn('radix:6', config)
            state.fail(broken)
            return ask(placer, state, size)
          })
          codes.add(bounded.ok ? 'ok' : bounded.code)
          if (!bounded.ok && bounded.code === 'search-bound') expect(bounded.steps).toBe(maxSteps)
          else expect(told(bounded)).toEqual(told(unbounded))
        },
      ),
      { numRuns: 2000 },
    )
    expect(codes).toEqual(new Set(['ok', 'search-bound', 'no-placement', 'too-few-nodes', 'never']))
  })
})

describe('Jigsaw does not serve', () => {
  test.each([
    ['kary:2:4', 'it has 4 levels of switches; the conditions for full bandwidth are for at most three'],
    [
      'pgft:3;3,4,3;1,4,4;1,1,1',
      'its leaves have 4 up-ports over 3 nodes; with three levels there must be at most as many up-ports as nodes',
    ],
    [
      'pgft:3;3,4,3;1,2,4;1,2,1',
      'its leaves have 4 up-ports over 3 nodes; with three levels there must be at most as many up-ports as nodes',
    ],
  ])('Jigsaw does not serve the topology %s', (spec, reason) => {
    expect(jigsaw.make(parseTopology(spec), { order: 'densest-first', leafJobsHoldUplinks: false })).toEqual({
      unsupported: reason,
    })
  })

  test('Jigsaw does not serve a switch graph', () => {
    const graph = switchGraph({ name: 'slurm:topology.conf', leaves: [2, 2], parents: [[[0], [0]]] })
    expect(() => bindPolicy(jigsaw, graph)).toThrow(
      'policy jigsaw: does not serve slurm:topology.conf: it is a switch graph; this needs a regular fat tree, such as radix:18 or pgft:3;18,18,4;1,18,2;1,1,9',
    )
  })
})

describe('the config of Jigsaw', () => {
  const radix4 = parseTopology('radix:4')

  test('the config of Jigsaw has defaults', () => {
    expect(bindPolicy(jigsaw, radix4).config).toEqual({ order: 'densest-first', leafJobsHoldUplinks: false })
  })

  test.each([
    [{ order: 'dense' }, /order: .*"densest-first" \| "sparsest-first"/],
    [{ maxSteps: 0 }, /maxSteps: .*Expected >0 but received 0/],
    [{ maxSteps: 1.5 }, /maxSteps: .*integer/],
    [{ leafJobsHoldUplinks: 'yes' }, /leafJobsHoldUplinks: .*boolean/],
    [{ maxStep: 3 }, /maxStep: /],
    [{ order: 'dense', maxSteps: 0 }, /order: .*; maxSteps: /],
  ])('Jigsaw refuses the config %j and names the wrong field', (config, says) => {
    expect(() => bindPolicy(jigsaw, radix4, config)).toThrow(says)
  })
})
