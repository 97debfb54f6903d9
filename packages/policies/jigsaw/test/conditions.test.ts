import type { Placement } from '@cloister/placement'
import { ask } from '@cloister/placement/testing'
import { parseIdset, parseTopology } from '@cloister/topology'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { brokenCondition } from './conditions.ts'
import { brokenResources, jigsawOn, options, start } from './bound-jigsaw.ts'
import { shapeOf } from './placeable.ts'

describe("Jigsaw's placements in random histories", () => {
  test.each([
    ['radix:4', 100],
    ['radix:6', 100],
    ['radix:8', 100],
    ['radix:18', 30],
    ['cab', 30],
    ['pinot', 15],
    ['pgft:3;4,3,3;1,2,2;1,1,1', 100],
    ['pgft:3;4,4,3;1,4,2;1,1,2', 100],
    ['pgft:3;4,3,3;1,2,2;1,2,2', 100],
    ['pgft:3;16,12,6;1,8,6;1,1,1', 40],
    ['pgft:3;36,3,3;1,36,4;1,1,1', 30],
    ['pgft:3;2,40,3;1,2,40;1,1,1', 30],
    ['pgft:2;4,6;1,4;1,1', 100],
    ['pgft:2;16,10;1,9;1,1', 40],
    ['pgft:2;4,6;1,6;1,1', 100],
    ['pgft:1;9;1;1', 50],
  ])('every placement of Jigsaw on the topology %s meets the conditions of the Jigsaw paper', (spec, numRuns) => {
    const { topology } = jigsawOn(spec)
    const asked = fc.array(
      fc.record({
        most: fc.constantFrom(topology.nodes / topology.leaves, (2 * topology.nodes) / topology.pods, topology.nodes),
        size: fc.nat(99_999),
        end: fc.boolean(),
        pick: fc.nat(99_999),
      }),
      { maxLength: 150, size: 'max' },
    )
    const seen = new Set<string>()
    fc.assert(
      fc.property(options, fc.option(brokenResources(topology), { freq: 1 }), asked, (config, broken, steps) => {
        const { placer, state, holdUplinks, needs } = jigsawOn(spec, config)
        if (broken !== null) state.fail(broken)
        steps.forEach(({ most, size, end, pick }, at) => {
          const nodes = 1 + (size % Math.ceil(most))
          const outcome = ask(placer, state, nodes)
          if (outcome.ok) {
            expect(outcome.nodes.length).toBe(nodes)
            expect(brokenCondition(topology, outcome, holdUplinks, needs)).toBeUndefined()
            start(state, outcome, at)
            seen.add(shapeOf(topology, outcome).split(':')[0])
          }
          const { running } = state
          if (running.length > 0 && (end || !outcome.ok)) state.release(running[pick % running.length])
        })
        expect(state.index).toEqual(placer.index!.build(state))
      }),
      { numRuns },
    )
    expect(seen).toEqual(new Set(['leaf', 'pod', 'pods'].slice(0, topology.levels.length)))
  })
})

/** Formats the nodes, leaf links and L2 links of a placement as idsets. */
function placement(nodes: string, ...links: ReadonlyArray<string>): Placement {
  return { ok: true, nodes: parseIdset(nodes), links: links.map((ids) => parseIdset(ids)) }
}

describe('brokenCondition (test helper)', () => {
  // radix:6: leaf l has nodes and uplinks 3l to 3l + 2; L2 index i of pod t is L2 switch 3t + i, with links 9t + 3i to
  // 9t + 3i + 2.
  const radix6 = parseTopology('radix:6')
  const nodes = '0-5,9-14,18-21'
  const leafLinks = '0-5,9-14,18-20,22'
  const l2Links = '0-1,4-6,8-10,13-15,17-18,22-23,26'

  test('brokenCondition finds no fault in two pods of two whole leaves and a remainder pod of one whole leaf and a node', () => {
    expect(brokenCondition(radix6, placement(nodes, leafLinks, l2Links), false)).toBeUndefined()
  })

  test.each([
    [
      'a spine link is missing',
      nodes,
      leafLinks,
      '0-1,4-6,8-10,13-15,17-18,22,26',
      '1 spine links of L2 index 1 in the remainder pod, not 2',
    ],
    [
      'spine links are missing in the full pods',
      nodes,
      leafLinks,
      '0,4-6,8-9,13-15,17-18,22-23,26',
      '1 spine links of L2 index 0 in a full pod, not 2',
    ],
    ['all spine links are missing', nodes, leafLinks, '', '0 spine links of L2 index 0 in a full pod, not 2'],
    [
      'full pods reach different spines',
      nodes,
      leafLinks,
      '0-1,4-6,8-9,11,13-15,17-18,22-23,26',
      'L2 index 0 reaches different spines in pods 0 and 1',
    ],
    [
      'the remainder pod reaches other spines',
      nodes,
      leafLinks,
      '0-1,4-6,8-10,13-15,17,20,22-23,26',
      'L2 index 0 reaches spines from the remainder pod that the full pods do not reach',
    ],
    [
      'spine links in a pod without nodes',
      nodes,
      leafLinks,
      '0-1,4-6,8-10,13-15,17-18,22-23,26-27',
      'L2 switch 9 has spine links, but pod 3 has no nodes',
    ],
    [
      "the remainder leaf's link to a spine is missing",
      nodes,
      leafLinks,
      '0-1,4-6,8-10,13-15,17-18,22,26',
      /^1 spine links/,
    ],
    [
      'an uplink of a whole leaf is missing',
      nodes,
      '0-5,9-13,18-20,22',
      l2Links,
      'full leaves 0 and 4 have uplinks to different L2 switches',
    ],
    ['the remainder leaf has no uplink', nodes, '0-5,9-14,18-20', l2Links, '0 uplinks for a remainder leaf of 1 nodes'],
    [
      'the remainder leaf has an uplink too many',
      nodes,
      '0-5,9-14,18-20,22-23',
      l2Links,
      '2 uplinks for a remainder leaf of 1 nodes',
    ],
    ['uplinks on a leaf without nodes', nodes, '0-6,9-14,18-20,22', l2Links, 'leaf 2 has uplinks but no nodes'],
    ['two leaves are not whole', '0-4,9-14,18-21,24', leafLinks, l2Links, '3 leaves that are not whole'],
    ['no leaf is whole', '0,9', '0,9', '0,9', '2 leaves that are not whole'],
    [
      'a remainder leaf among the full pods',
      '0-7,9-16,18-20',
      '0-7,9-16,18-20',
      l2Links,
      '2 leaves that are not whole',
    ],
    ['three sizes of pods', '0-14,18-21', '0-14,18-20,22', l2Links, 'pods of 9 nodes, but 2 with fewer'],
    [
      'the remainder leaf in a full pod',
      '0-6,9-11',
      '0-6,9-11',
      '0-1,3-4,6-7,9,12,15',
      'the remainder leaf is not in the remainder pod',
    ],
  ])('brokenCondition finds the fault: %s', (_, of, leaf, l2, says) => {
    expect(brokenCondition(radix6, placement(of, leaf, l2), false)).toMatch(says)
  })

  test.each([
    ['spine links in one pod', '0-1,3-4', '0-1,3-4', '0', 'spine links in a single pod'],
    [
      'too few uplinks on each leaf (Jigsaw paper, Figure 1, left)',
      '0-1,3-4',
      '0,3',
      '',
      '1 uplinks for a leaf of 2 nodes',
    ],
    [
      'leaves of one, two and three nodes (Jigsaw paper, Figure 1, centre)',
      '0,3-4,6-8',
      '0,3-4,6-8',
      '',
      'leaves of 3 nodes, but 2 with fewer',
    ],
    [
      'uplinks to different L2 switches (Jigsaw paper, Figure 1, right)',
      '0-1,3-4',
      '0-1,4-5',
      '',
      'full leaves 0 and 1 have uplinks to different L2 switches',
    ],
    [
      'the remainder leaf has an uplink to an L2 switch that the full leaves do not reach',
      '0-1,3',
      '0-1,5',
      '',
      'remainder leaf 1 has uplinks beyond those of the full leaves',
    ],
    ['the remainder leaf without uplinks', '0-1,3', '0-1', '', '0 uplinks for a remainder leaf of 1 nodes'],
    ['uplinks of a single leaf', '0-1', '0-1', '', '2 uplinks for a single leaf of 2 nodes'],
    ['spine links of a single leaf', '0-1', '', '0', 'spine links for a single leaf'],
  ])('brokenCondition finds the fault: %s', (_, of, leaf, l2, says) => {
    expect(brokenCondition(radix6, placement(of, leaf, l2), false)).toMatch(says)
  })

  test('brokenCondition with holdUplinks finds no fault in uplinks of a single leaf', () => {
    expect(brokenCondition(radix6, placement('0-1', '0-1'), true)).toBeUndefined()
    expect(brokenCondition(radix6, placement('0-1', '0'), true)).toBe('1 uplinks for a single leaf of 2 nodes')
  })

  test('brokenCondition ignores the choice among parallel cables', () => {
    // Each of two leaves has three nodes, with two of three cables to L2 index 0. Uplink u of a leaf leads to L2 index
    // u mod 2.
    const parallel = parseTopology('pgft:3;4,3,3;1,2,2;1,2,2')
    expect(brokenCondition(parallel, placement('0-2,4-6', '0-2,4,6-7'), false)).toBeUndefined()
    expect(brokenCondition(parallel, placement('0-2,4-6', '0-2,4-5,7'), false)).toBe(
      'full leaves 0 and 1 have uplinks to different L2 switches',
    )
  })

  test('brokenCondition finds a missing link or an additional link in any placement on several leaves', () => {
    const specs = ['radix:6', 'radix:8', 'pgft:3;4,3,3;1,2,2;1,1,1', 'pgft:3;4,4,3;1,4,2;1,1,2', 'pgft:2;4,6;1,4;1,1']
    fc.assert(
      fc.property(fc.constantFrom(...specs), fc.nat(9999), fc.nat(1), fc.nat(9999), (spec, size, level, pick) => {
        const { topology, placer, state, needs } = jigsawOn(spec)
        const found = ask(placer, state, 1 + (size % topology.nodes))
        const all = topology.levels[level].links
        if (!found.ok || found.links.length === 0 || all === 0) return
        const held = Array.from(found.links[level] ?? [])
        const toggled = pick % all
        const links = held.includes(toggled)
          ? held.filter((link) => link !== toggled)
          : [...held, toggled].sort((a, b) => a - b)
        expect(
          brokenCondition(
            topology,
            {
              ok: true,
              nodes: found.nodes,
              links: level === 0 ? [links, ...found.links.slice(1)] : [found.links[0], links],
            },
            false,
            needs,
          ),
        ).toBeDefined()
      }),
      { numRuns: 300 },
    )
  })
})
