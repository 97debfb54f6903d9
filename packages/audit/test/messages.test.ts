import type { Header } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { parseTopology } from '@cloister/topology'
import { describe, expect, test } from 'vitest'
import { untestedClaims } from '../src/report.ts'
import { auditRecords } from '../src/index.ts'
import { LogBuilder, partition } from './log-builder.ts'

function oneJob(allocation: { readonly nodes: string; readonly links?: ReadonlyArray<string> }) {
  const log = new LogBuilder({ jobs: 1, claims: { links: 'owned' } })
  log.submit(0, 'a', 2, 10)
  log.allocate(0, 'a', allocation)
  log.complete(10, 'a')
  return auditRecords(log.end(10).records, sha256)
}

test.each([
  ['node 16 does not exist: the machine has 16', { nodes: '15-16' }],
  ['level-0 link 16 does not exist: the machine has 16', { nodes: '0-1', links: ['16'] }],
  ['level-1 link 20 does not exist: the machine has 16', { nodes: '0-1', links: ['0-1', '3,20'] }],
])('the message about an unknown id names the node or link: %s', (message, allocation) => {
  expect(oneJob(allocation).violations.map((violation) => violation.message)).toContainEqual(
    expect.stringContaining(message),
  )
})

test("easy-first-reservation compares a start with the job's first reservation, even if the reservation moved later", () => {
  const log = new LogBuilder({ jobs: 2, queue: { backfill: 'easy', window: 2 } })
  log.submit(0, 'a', 12, 100)
  log.submit(0, 'b', 8, 50)
  log.allocate(0, 'a', { nodes: '0-11' })
  const reserve = log.reserve(0, 'b', 100, { nodes: '0-3,12-15' })
  log.unreserve(0, 'b', reserve)
  log.reserve(0, 'b', 110, { nodes: '0-3,12-15' })
  log.complete(100, 'a')
  log.allocate(110, 'b', { nodes: '0-3,12-15' })
  log.complete(160, 'b')
  const { violations } = auditRecords(log.end(160).records, sha256)
  expect(violations).toContainEqual(
    expect.objectContaining({
      invariant: 'easy-first-reservation',
      message: expect.stringContaining('after its first reservation at 100'),
    }),
  )
})

test('the rule laas is not applicable if the policy claims `shared` links', () => {
  const log = new LogBuilder({ jobs: 0, claims: { links: 'shared', rule: 'laas' } })
  const { notApplicable } = auditRecords(log.end(0).records, sha256)
  expect(notApplicable['laas']).toContain('(links: shared)')
})

test('the rule jigsaw-conditions is tested on a machine of a single switch, too', () => {
  const log = new LogBuilder({
    jobs: 1,
    topology: parseTopology('pgft:1;8;1;1'),
    claims: { links: 'owned', rule: 'jigsaw-conditions', full_bandwidth: true },
  })
  log.submit(0, 'a', 3, 10)
  log.allocate(0, 'a', { nodes: '0-2' })
  log.complete(10, 'a')
  const report = auditRecords(log.end(10).records, sha256)
  expect(report.violations).toEqual([])
  expect(report.checked['jigsaw-conditions']).toBe(1)
})

test.each([
  ['link-capacity', { claims: { links: 'owned' } }, '(links: owned)'],
  ['link-exclusive', { claims: { links: 'capped' }, linkCapacity: 4000 }, 'shares links up to a cap'],
  ['routes-inside', { claims: { links: 'capped' }, linkCapacity: 4000, router: partition }, '(links: capped)'],
  [
    'reservation-on-time',
    { claims: { links: 'rule', rule: 'ta' }, queue: { backfill: 'easy', window: 2 } },
    'the rule of the policy may forbid',
  ],
  ['reservation-on-time', { claims: { links: 'owned' } }, 'no reservations'],
] as const)(
  'the report lists the invariant %s under `notApplicable`, with the reason',
  (invariant, options, reason) => {
    const log = new LogBuilder({ jobs: 0, ...options })
    expect(auditRecords(log.end(0).records, sha256).notApplicable[invariant]).toContain(reason)
  },
)

test('untestedClaims returns the claims exact_size and links if no invariant tested the claim', () => {
  const claims = {
    links: 'owned',
    full_bandwidth: false,
    exact_size: true,
    monotone: false,
    complete: false,
    speedup_scenarios: false,
  } as const
  const [header] = new LogBuilder({ claims }).records as [Header]
  expect(untestedClaims(header, {}, undefined)).toEqual([
    { claim: 'exact_size', reason: 'no allocation or reservation was tested by the invariant exact-size' },
    { claim: 'links', reason: 'no allocation was tested by the invariant link-exclusive' },
  ])
  const tested = { 'exact-size': 1, 'link-exclusive': 1 }
  expect(untestedClaims(header, tested, undefined)).toEqual([
    { claim: 'links', reason: 'no allocation or reservation was tested by the invariant links-connect' },
  ])
  expect(untestedClaims(header, { ...tested, 'links-connect': 1 }, undefined)).toEqual([])
})

test('release-restores reports a job without a release once', () => {
  const log = new LogBuilder({ jobs: 3 })
  log.submit(0, 'a', 4, 10)
  log.allocate(0, 'a', { nodes: '0-3' })
  log.finish(10, 'a')
  for (const [job, nodes] of [
    ['b', '4-7'],
    ['c', '8-11'],
  ] as const) {
    log.submit(20, job, 4, 10)
    log.allocate(20, job, { nodes })
  }
  log.complete(30, 'b', 'c')
  const { violations } = auditRecords(log.end(30).records, sha256)
  expect(violations.filter(({ invariant }) => invariant === 'release-restores')).toHaveLength(1)
})

test('an allocation of a held node also violates conservation at the next seal', () => {
  const log = new LogBuilder({ jobs: 2 })
  log.submit(0, 'a', 4, 10)
  log.submit(0, 'b', 4, 10)
  log.allocate(0, 'a', { nodes: '0-3' })
  log.allocate(0, 'b', { nodes: '3-6' })
  log.seal(0)
  log.complete(10, 'a', 'b')
  const { violations } = auditRecords(log.end(10).records, sha256)
  expect(violations).toContainEqual(
    expect.objectContaining({
      invariant: 'conservation',
      message: expect.stringMatching(/^7 of \d+ nodes and links are not free, but jobs hold 8$/),
    }),
  )
})

describe.each(['jigsaw-conditions', 'laas', 'nested-remainders', 'ta'])('the invariant %s', (rule) => {
  const audited = (nodes: string, job: string) => {
    const log = new LogBuilder({ jobs: 1, claims: { links: 'owned', rule } })
    log.submit(0, 'a', 2, 10)
    log.allocate(0, job, { nodes })
    return auditRecords(log.end(0).records, sha256)
  }

  // The invariants jigsaw-conditions and nested-remainders do not need the job of an allocation.
  const jobless: ReadonlyArray<readonly [what: string, nodes: string, job: string]> =
    rule === 'jigsaw-conditions' || rule === 'nested-remainders' ? [] : [['a job that never came', '0-1', 'b']]
  test.each([['unknown nodes', '15-16', 'a'], ['no idset', '3-', 'a'], ['no nodes', '', 'a'], ...jobless] as const)(
    'the invariant of a rule ignores an allocation with %s, because another invariant reports the fault',
    (_, nodes, job) => {
      const { ok, checked, violationCounts } = audited(nodes, job)
      expect(ok).toBe(false)
      expect(checked[rule] ?? 0).toBe(0)
      expect(violationCounts).not.toHaveProperty(rule)
    },
  )

  test('the invariant of a rule is tested on a sound allocation', () => {
    expect(audited('0-1', 'a').checked[rule]).toBe(1)
  })
})
