// If a header exempts a log from an invariant, a second invariant tests the log, or a claim stays untested.
import { sha256 } from '@cloister/eventlog/node'
import { parseTopology } from '@cloister/topology'
import { describe, expect, test } from 'vitest'
import { auditRecords, exitCode } from '../src/index.ts'
import { LogBuilder, partition, type RunOptions } from './log-builder.ts'

/** Audits the log of one job on two nodes. */
function audited(options: Partial<RunOptions>) {
  const log = new LogBuilder({ jobs: 1, ...options })
  log.submit(0, 'a', 2, 10)
  const start = log.allocate(0, 'a', { nodes: '0-1' })
  const routes = options.router === undefined ? undefined : log.route(0, 'a', ['0 0-1:0+2'], start)
  log.finish(10, 'a')
  const release = log.release(10, 'a')
  if (routes !== undefined) log.route(10, 'a', routes, release)
  return auditRecords(log.end(10).records, sha256)
}

const FOUR_LEVELS = parseTopology('pgft:4;2,2,2,2;1,2,2,2;1,1,1,1')

describe('a header that exempts a log from an invariant leaves a claim untested', () => {
  test.each<[string, string, Partial<RunOptions>]>([
    ['link-capacity', 'links', { claims: { links: 'capped' } }],
    ['links-connect', 'links', { claims: { links: 'rule' } }],
    ['laas', 'rule', { claims: { rule: 'laas' } }],
    ['jigsaw-conditions', 'rule', { claims: { rule: 'jigsaw-conditions' } }],
    ['nested-remainders', 'rule', { topology: FOUR_LEVELS, claims: { links: 'owned', rule: 'nested-remainders' } }],
    ['ta', 'rule', { topology: FOUR_LEVELS, claims: { links: 'owned', rule: 'ta' } }],
    ['routes-inside', 'router', { claims: { links: 'capped' }, linkCapacity: 1000, router: partition }],
  ])('%s does not apply, so %s stays untested', (invariant, claim, options) => {
    const report = audited(options)
    expect(report.checked).not.toHaveProperty(invariant)
    expect(report.notApplicable).toHaveProperty(invariant)
    expect(report.untestedClaims.map((each) => each.claim)).toContain(claim)
    expect(exitCode(report)).toBe(1)
  })
})

describe('a header that exempts a log from an invariant subjects the log to a second invariant', () => {
  test.each<[string, string, Partial<RunOptions>, (log: LogBuilder) => void]>([
    [
      'enough-nodes',
      'exact-size',
      {},
      (log) => {
        log.submit(0, 'a', 4, 10)
        log.allocate(0, 'a', { nodes: '0-2' })
      },
    ],
    [
      'exact-size',
      'enough-nodes',
      { claims: { exact_size: false } },
      (log) => {
        log.submit(0, 'a', 4, 10)
        log.allocate(0, 'a', { nodes: '0-2' })
      },
    ],
    [
      'refusals-complete',
      'refusals-recorded',
      {},
      (log) => {
        log.submit(0, 'a', 4, 10)
        log.refuse(0, 'a')
      },
    ],
    [
      'link-exclusive',
      'link-capacity',
      { claims: { links: 'capped' }, linkCapacity: 1000 },
      (log) => {
        log.submit(0, 'a', 2, 10)
        log.submit(0, 'b', 2, 10)
        log.allocate(0, 'a', { nodes: '0,2', links: ['0,2'], bandwidth: 600 })
        log.allocate(0, 'b', { nodes: '1,3', links: ['0,2'], bandwidth: 600 })
      },
    ],
    [
      'links-connect',
      'jigsaw-conditions',
      { claims: { links: 'owned', rule: 'jigsaw-conditions', full_bandwidth: true } },
      (log) => {
        log.submit(0, 'a', 4, 10)
        log.allocate(0, 'a', { nodes: '0-3', links: ['0-1'] })
      },
    ],
    [
      'reservations-apart',
      'reservations',
      { queue: { backfill: 'easy', window: 2 } },
      (log) => {
        log.submit(0, 'a', 16, 10)
        log.submit(0, 'b', 16, 10)
        log.allocate(0, 'a', { nodes: '0-15' })
        log.reserve(0, 'b', 10, { nodes: '0-15' })
        log.reserve(0, 'b', 10, { nodes: '0-15' })
      },
    ],
    [
      'backfill-no-delay',
      'reservations-apart',
      { queue: { backfill: 'conservative', window: 2 } },
      (log) => {
        log.submit(0, 'a', 12, 100)
        log.submit(0, 'b', 8, 50)
        log.submit(0, 'c', 2, 500)
        log.allocate(0, 'a', { nodes: '0-11' })
        const reserve = log.reserve(0, 'b', 100, { nodes: '0-3,12-15' })
        log.allocate(0, 'c', { nodes: '12-13' }, { backfill: reserve })
      },
    ],
  ])('%s does not apply, but %s finds the fault', (exempt, invariant, options, tell) => {
    const log = new LogBuilder(options)
    tell(log)
    const { notApplicable, violationCounts } = auditRecords(log.records, sha256)
    expect(notApplicable).toHaveProperty(exempt)
    expect(violationCounts).toHaveProperty(invariant)
  })

  test.each(['allocate', 'reserve', 'finish', 'kill', 'reject', 'refuse', 'cancel', 'requeue', 'release'] as const)(
    'a record %s of a job that was never submitted is a violation, though invariants pass over the record',
    (type) => {
      const log = new LogBuilder({ refusals: true, queue: { backfill: 'easy', window: 2 } })
      if (type === 'allocate') log.allocate(0, 'x', { nodes: '0' })
      else if (type === 'reserve') log.reserve(0, 'x', 10, { nodes: '0' })
      else if (type === 'kill') log.kill(0, 'x', 'estimate')
      else log[type](0, 'x')
      const { violationCounts } = auditRecords(log.records, sha256)
      expect(violationCounts).toHaveProperty(type === 'release' ? 'release-restores' : 'job-life-cycle')
    },
  )
})
