import { auditLog, auditRecords } from '@cloister/audit'
import { type LogRecord } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { baseline } from '@cloister/policy-baseline'
import jigsaw from '@cloister/policy-jigsaw'
import laas from '@cloister/policy-laas'
import slurmTree from '@cloister/policy-slurm-tree'
import ta from '@cloister/policy-ta'
import { bindPolicy } from '@cloister/placement'
import { parseTopology } from '@cloister/topology'
import { rerun } from '@cloister/replay'
import { Effect } from 'effect'
import { describe, expect, it } from 'vitest'
import { type GivenSpec, run } from '../src/index.ts'
import { nodeServices } from '../src/node/index.ts'

const policies = [baseline, jigsaw, laas, slurmTree, ta]
const given: GivenSpec = {
  trace: 'synth:12:400:3',
  topology: 'radix:8',
  policy: 'baseline',
  queue: 'easy:20',
  communication: '80%:all-to-all:60%',
  runTimes: 'contention',
  overrun: 'run-on',
}

/** Machine with absent parts. */
const machine = 'radix:8 without nodes 3,17-19,40; leaf 4; leaf 5 ports 2; l2 7 ports 0; l2 9; spine 11'

async function logOf(more: Partial<GivenSpec> = {}): Promise<Buffer> {
  const chunks: Array<Uint8Array> = []
  const services = nodeServices({ policies })
  await Effect.runPromise(
    run({ ...given, ...more }, { sink: (chunk) => chunks.push(chunk) }).pipe(Effect.provide(services)),
  )
  return Buffer.concat(chunks)
}

const recordsOf = (log: Buffer): ReadonlyArray<LogRecord> =>
  log
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
const ratesOf = (log: Buffer): ReadonlyArray<number> =>
  recordsOf(log).flatMap((record) => (record.type === 'progress' ? [record.rate] : []))

describe('contention', () => {
  it.each<[string, Partial<GivenSpec>]>([
    ['baseline', {}],
    ['slurm-tree', { policy: 'slurm-tree', communication: '60%:recursive-halving-vector-doubling:80%' }],
    ['conservative', { queue: 'conservative:10', communication: '100%:ring*3+binomial-tree*2+stencil-3d*5:50%' }],
    ['fcfs', { queue: 'fcfs', communication: '100%:stencil-2d*3+recursive-doubling*1:100%' }],
    ['estimates by walltimes', { estimates: 'requested', overrun: 'kill', communication: '50%:pairs:30%' }],
    ['parallel cables', { topology: 'pgft:3;6,4,4;1,2,3;1,3,2', trace: 'synth:9:300:4' }],
    ['LaaS', { policy: 'laas' }],
    ['TA', { policy: 'ta' }],
    ['random ways up', { router: 'random' }],
    ['routes that follow jobs', { router: 'scheduling-aware' }],
    [
      'routes that follow jobs over parallel cables',
      { router: 'scheduling-aware', topology: 'pgft:3;6,4,4;1,2,3;1,3,2', trace: 'synth:9:300:4' },
    ],
    ['Jigsaw with routes of the whole tree', { policy: 'jigsaw', router: 'd-mod-k' }],
    ['absent parts, with routes of the whole machine', { topology: machine, router: 'min-hop' }],
  ])(
    'under contention, jobs have the rates that the audit computes with separate code, in the case %s',
    async (_, more) => {
      const log = await logOf(more)
      const report = auditLog([log], sha256)
      expect(report.violations).toEqual([])
      expect(report).toMatchObject({ ok: true })
      expect(report.checked['progress-rates']).toBeGreaterThan(300)
    },
  )

  it('contention slows some jobs, and keeps rates between 1 and 1000', async () => {
    const rates = ratesOf(await logOf())
    expect(rates.length).toBeGreaterThan(100)
    expect(Math.min(...rates)).toBeGreaterThanOrEqual(1)
    expect(Math.min(...rates)).toBeLessThan(800)
    expect(Math.max(...rates)).toBe(1000)
  })

  it.each(['jigsaw', 'laas', 'ta'])('contention slows no job under the isolating policy %s', async (policy) => {
    const log = await logOf({ policy })
    expect(ratesOf(log)).toEqual([])
    // Contention changes only the header, and so the checksums in the seals.
    const without = recordsOf(await logOf({ policy, runTimes: 'fixed' }))
    const plain = (records: ReadonlyArray<LogRecord>) =>
      records.flatMap((record) => (record.type === 'header' || record.type === 'seal' ? [] : [record]))
    expect(plain(recordsOf(log))).toEqual(plain(without))
  })

  it('the header of a log names `contention`, and requires the feature `progress` of readers', async () => {
    expect(recordsOf(await logOf())[0]).toMatchObject({ requires: ['progress'], options: { runTimes: 'contention' } })
  })

  it('contention gives equal logs for equal seeds, and a rerun repeats the decisions', async () => {
    const log = await logOf()
    expect(log.equals(await logOf())).toBe(true)
    const records = recordsOf(log)
    const { placer } = bindPolicy(baseline, parseTopology('radix:8'))
    const { difference, compared } = rerun({ records: () => records, placer, policyName: 'baseline' })
    expect(difference).toBeUndefined()
    expect(compared).toBe(records.length)
  })

  it.each<[string, (record: LogRecord) => LogRecord | undefined, string]>([
    [
      'another rate',
      (record) => ({ ...record, rate: 17 }) as LogRecord,
      'the rate is 17, but the links of the job allow',
    ],
    ['another cause', (record) => ({ ...record, cause: 1 }) as LogRecord, 'the cause is 1, but record'],
    ['been removed', () => undefined, 'needs a progress record before this record'],
  ])('a log under contention fails the audit if a progress record has %s', async (_, change, message) => {
    const records = recordsOf(await logOf())
    const first = records.findIndex(({ type }) => type === 'progress')
    const changed = change(records[first])
    const lines = records.toSpliced(first, 1, ...(changed === undefined ? [] : [changed]))
    const { violations } = auditRecords(lines, sha256)
    expect(violations.filter(({ invariant }) => invariant === 'progress-rates')[0]?.message).toContain(message)
  })

  it('a log whose routes follow jobs fails the audit if a rate does not follow the routes', async () => {
    const records = recordsOf(await logOf({ router: 'scheduling-aware' }))
    const causes = new Set(records.flatMap((record) => (record.type === 'route' ? [record.cause] : [])))
    const last = records.findLastIndex((record) => record.type === 'progress' && causes.has(record.cause))
    const { violations } = auditRecords(records.toSpliced(last, 1), sha256)
    expect(violations.some(({ invariant }) => invariant === 'progress-rates')).toBe(true)
  })

  it.each<[Partial<GivenSpec>, string, string]>([
    [{ overrun: 'kill' }, 'overrun', 'would be killed'],
    [{ communication: 'none' }, 'runTimes', 'no job communicates'],
    [{ topology: machine }, 'runTimes', 'has no D-mod-k routes, because parts of its tree are absent'],
  ])('contention is refused with the options %j, which exclude contention', async (more, option, reason) => {
    const failed = run({ ...given, ...more }, { sink: () => {} }).pipe(
      Effect.flip,
      Effect.provide(nodeServices({ policies })),
    )
    expect(await Effect.runPromise(failed)).toMatchObject({
      _tag: 'OptionError',
      option,
      reason: expect.stringContaining(reason) as unknown,
    })
  })
})
