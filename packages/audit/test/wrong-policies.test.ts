import { sha256 } from '@cloister/eventlog/node'
import { parseTopology } from '@cloister/topology'
import { expect, test } from 'vitest'
import { auditRecords } from '../src/index.ts'
import { type Parts, type Place, placeByType, placeOnWholeLeaves, simulate } from './simulator.ts'

const topology = parseTopology('pgft:3;3,3,3;1,3,3;1,1,1')
const sizes = [5, 4, 12, 2, 7, 18, 3, 5, 9, 1, 14, 5]

/** Returns the violated invariants in the log of a policy with the claims of Jigsaw or of TA. */
function found(place: Place, rule: 'jigsaw-conditions' | 'ta' = 'jigsaw-conditions'): ReadonlyArray<string> {
  const log = simulate({
    options: {
      topology,
      queue: { backfill: 'easy', window: 5 },
      claims: { links: 'owned', rule, full_bandwidth: true },
    },
    place,
    jobs: sizes.map((size, i) => ({
      id: `${i}`,
      submit: 500 * i,
      size,
      runTime: 2000 + 700 * i,
      estimate: 2000 + 700 * i,
    })),
    faults: [],
    cancels: [],
  })
  return Object.keys(auditRecords(log.records, sha256).violationCounts)
}

const isSpineLink = (part: string): boolean => part.startsWith('link 1 ')

test('the audit finds no violation of a sound policy on whole leaves', () => {
  expect(found(placeOnWholeLeaves)).toEqual([])
})

test('the audit finds that a policy sometimes allocates held nodes (node-exclusive)', () => {
  let calls = 0
  const place: Place = (t, free, size) =>
    placeOnWholeLeaves(t, calls++ % 5 === 4 ? new Set([...free, ...firstLeaf]) : free, size)
  const firstLeaf = ['node 0', 'node 1', 'node 2', 'link 0 0', 'link 0 1', 'link 0 2']
  expect(found(place)).toContain('node-exclusive')
})

test('the audit finds that a policy allocates held leaf uplinks (link-exclusive)', () => {
  const uplinks = Array.from({ length: topology.levels[0].links }, (_, link) => `link 0 ${link}`)
  const scattered: Place = (t, free, size) => scatter(t, new Set([...free, ...uplinks]), size)
  expect(found(scattered)).toContain('link-exclusive')
  expect(found(scattered)).not.toContain('node-exclusive')
})

test('the audit finds that a policy never uses released nodes again (job-life-cycle, head-reserved)', () => {
  const busy = new Set<string>()
  // The first call of `place` is for the empty cluster, at the first submit.
  let empty: Parts | undefined
  const place: Place = (t, free, size) => {
    empty ??= free
    if (free === empty) return placeOnWholeLeaves(t, free, size)
    for (let node = 0; node < t.nodes; node++) if (!free.has(`node ${node}`)) busy.add(`node ${node}`)
    return placeOnWholeLeaves(t, new Set([...free].filter((part) => !busy.has(part))), size)
  }
  expect(found(place)).toEqual(expect.arrayContaining(['job-life-cycle', 'head-reserved']))
})

test('the audit finds that a policy allocates several pods without L2 uplinks (jigsaw-conditions)', () => {
  const place: Place = (t, free, size) => {
    const parts = placeOnWholeLeaves(t, free, size)
    return parts && new Set([...parts].filter((part) => !isSpineLink(part)))
  }
  expect(found(place)).toEqual(['jigsaw-conditions'])
})

test('the audit finds uplinks of a remainder leaf to other L2 switches than the full leaves have (jigsaw-conditions)', () => {
  const place: Place = (t, free, size) => (size === 5 ? twoTwoOne(free) : placeOnWholeLeaves(t, free, size))
  expect(found(place)).toEqual(['jigsaw-conditions'])
})

test('the audit finds no violation of a sound policy ta', () => {
  expect(found(placeByType, 'ta')).toEqual([])
})

test('the audit finds that a policy ta gives the uplinks of a leaf to two jobs (link-exclusive)', () => {
  const uplinks = Array.from({ length: topology.levels[0].links }, (_, link) => `link 0 ${link}`)
  expect(found((t, free, size) => placeByType(t, new Set([...free, ...uplinks]), size), 'ta')).toContain(
    'link-exclusive',
  )
})

test('the audit finds that a policy ta lists no L2 uplinks (ta)', () => {
  const place: Place = (t, free, size) => {
    const parts = placeByType(t, free, size)
    return parts && new Set([...parts].filter((part) => !isSpineLink(part)))
  }
  expect(found(place, 'ta')).toEqual(['ta'])
})

test('the audit finds that a policy ta with placements by the Jigsaw conditions breaks the rule ta', () => {
  expect(found(placeOnWholeLeaves, 'ta')).toEqual(['ta'])
})

/** Takes two nodes with uplinks 0 and 1 on two leaves of a free pod, and one node with uplink 2 on the third leaf. */
function twoTwoOne(free: Parts): Parts | undefined {
  for (let pod = 0; pod < topology.pods; pod++) {
    const leaf = 9 * pod
    const nodes = [0, 1, 3, 4, 6].map((i) => `node ${leaf + i}`)
    const links = [0, 1, 3, 4, 8].map((i) => `link 0 ${leaf + i}`)
    if ([...nodes, ...links].every((part) => free.has(part))) return new Set([...nodes, ...links])
  }
  return undefined
}

/** Takes one node a leaf on the leaves of a pod, always with the first uplink. */
function scatter(t: typeof topology, free: Parts, size: number): Parts | undefined {
  if (size > 3) return placeOnWholeLeaves(t, free, size)
  for (let pod = 0; pod < t.pods && size > 1; pod++) {
    const leaves = Array.from({ length: size }, (_, i) => 3 * pod + i)
    const nodes = leaves.map((leaf) => [0, 1, 2].map((i) => `node ${3 * leaf + i}`).find((part) => free.has(part)))
    if (nodes.every((node) => node !== undefined))
      return new Set([...nodes, ...leaves.map((leaf) => `link 0 ${3 * leaf}`)])
  }
  return placeOnWholeLeaves(t, free, size)
}
