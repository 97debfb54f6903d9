import { bindPolicy, type Outcome } from '@cloister/placement'
import { ask } from '@cloister/placement/testing'
import { formatIdset, parseIdset, parseTopology, switchGraph } from '@cloister/topology'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jigsaw } from '../src/index.ts'
import { brokenResources, jigsawOn } from './bound-jigsaw.ts'

/** Formats a placement as idsets. Returns a refusal unchanged. */
function told(outcome: Outcome): unknown {
  return outcome.ok ? [outcome.nodes, ...outcome.links].map((ids) => formatIdset(ids)) : outcome
}

/** On radix:6, where leaf l has nodes and uplinks 3l to 3l + 2, and L2 switch s has spine links 3s to 3s + 2. */
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

describe('placements by hand', () => {
  test('one leaf: any nodes, no links', () => {
    expect(onRadix6({ nodes: '0-1,4' }, 2)).toEqual(['3,5'])
    expect(onRadix6({ nodes: '0-1,4', leafLinks: '0-8' }, 2)).toEqual(['3,5'])
  })

  test('one leaf with uplinks: a leaf with enough free uplinks', () => {
    expect(onRadix6({ nodes: '0-1,4', leafLinks: '4-5,7' }, 2, { leafJobsHoldUplinks: true })).toEqual(['6-7', '6,8'])
  })

  test('one pod: full leaves over common L2 switches, the remainder leaf over a part of these', () => {
    // No leaf has 3 nodes with 3 uplinks. Leaf 0 reaches L2 0 and 2, leaf 1 all but has two nodes, leaf 2 reaches L2 2
    // alone.
    expect(onRadix6({ nodes: '3,9-53', leafLinks: '1,6-7' }, 5)).toEqual(['0-1,4-6', '0,2-3,5,8'])
  })

  test('one pod: the remainder leaf may come first', () => {
    expect(onRadix6({ nodes: '0-1,9-53' }, 7)).toEqual(['2-8', '0,3-8'])
  })

  test('a job that fits on no leaf is spread over leaves (paper, Figure 2, right)', () => {
    expect(onRadix6({ nodes: '0,3,6,9-53' }, 3)).toEqual(['1-2,4', '0-1,3'])
  })

  test('several pods: full pods, and a remainder pod with a remainder leaf (paper, Figure 3)', () => {
    // Two whole leaves in pods 0 and 1, one in pod 2 beside a leaf with one node; L2 index 1 reaches spines 1 and 2 of
    // its group from pod 0, index 2 reaches 0 and 2 from pod 1, the remainder leaf L2 index 1 alone.
    expect(onRadix6({ nodes: '6-8,15-17,22-53', leafLinks: '21,23', l2Links: '3,16' }, 16)).toEqual([
      '0-5,9-14,18-21',
      '0-5,9-14,18-20,22',
      '0-1,4-6,8-10,13-15,17-18,22-24',
    ])
  })

  test('several pods: the remainder pod may come first', () => {
    expect(onRadix6({ nodes: '3-8,27-53' }, 21)).toEqual(['0-2,9-26', '0-2,9-26', '0,3,6,9-26'])
  })

  test('several pods on parallel cables: as many to each spine, whichever are free', () => {
    // L2 switches of four up-ports, even ones to the first spine and odd ones to the second. Link 0 is broken, so pod 0
    // cannot be full: the pod holds two whole leaves, and a cable to either spine from each L2 switch.
    const { placer, state } = jigsawOn('pgft:3;4,4,3;1,4,2;1,1,2')
    state.fail({ nodes: [], links: [[], [0]] })
    expect(told(ask(placer, state, 24))).toEqual(['0-7,16-31', '0-7,16-31', '1-2,4-5,8-9,12-13,16-31'])
  })
})

describe('order', () => {
  test('densest first takes few leaves and pods, sparsest first many', () => {
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

describe('refusals', () => {
  test('name the reason and the pod with most free nodes, the first of several', () => {
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

describe('maxSteps', () => {
  test('claims neither monotone nor complete', () => {
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

  test('refuses at the bound, else answers as without a bound', () => {
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

describe('unsupported topologies', () => {
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
  ])('%s', (spec, reason) => {
    expect(jigsaw.make(parseTopology(spec), { order: 'densest-first', leafJobsHoldUplinks: false })).toEqual({
      unsupported: reason,
    })
  })

  test('a switch graph', () => {
    const graph = switchGraph({ name: 'slurm:topology.conf', leaves: [2, 2], parents: [[[0], [0]]] })
    expect(() => bindPolicy(jigsaw, graph)).toThrow(
      'policy jigsaw: does not serve slurm:topology.conf: it is a switch graph; this needs a regular fat tree, such as radix:18 or pgft:3;18,18,4;1,18,2;1,1,9',
    )
  })
})

describe('config', () => {
  const radix4 = parseTopology('radix:4')

  test('has defaults', () => {
    expect(bindPolicy(jigsaw, radix4).config).toEqual({ order: 'densest-first', leafJobsHoldUplinks: false })
  })

  test.each([
    [{ order: 'dense' }, /order: .*"densest-first" \| "sparsest-first"/],
    [{ maxSteps: 0 }, /maxSteps: .*greater than 0/],
    [{ maxSteps: 1.5 }, /maxSteps: .*integer/],
    [{ leafJobsHoldUplinks: 'yes' }, /leafJobsHoldUplinks: .*boolean/],
    [{ maxStep: 3 }, /maxStep: /],
    [{ order: 'dense', maxSteps: 0 }, /order: .*; maxSteps: /],
  ])('%j is refused with the field', (config, says) => {
    expect(() => bindPolicy(jigsaw, radix4, config)).toThrow(says)
  })
})
