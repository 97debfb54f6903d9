import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Header, LogRecord } from '@cloister/eventlog'
import { describe, expect, it } from 'vitest'
import { readAll, resealed } from '@cloister/fuzz'
import { Folder } from './cloister.ts'

type Forge = (header: Header, records: ReadonlyArray<LogRecord>) => readonly [Header, ReadonlyArray<LogRecord>]

/** Simulates 80 jobs on a crowded machine, changes the log, and seals it again. Returns the name of the forged log. */
async function forged(folder: Folder, forge: Forge, ...more: ReadonlyArray<string>): Promise<string> {
  const words = ['--trace', 'synth:8:80', '--topology', 'radix:8', '--policy', 'jigsaw', ...more]
  const answer = await folder.cloister('simulate', ...words, '--out', 'run.ndjson', '--force')
  if (answer.code !== 0) throw new Error(answer.stderr)
  const { records } = readAll(readFileSync(join(folder.path, 'run.ndjson')))
  const [header, ...body] = records
  folder.write('forged.ndjson', resealed(...forge(header as Header, body)))
  return 'forged.ndjson'
}

const ofHeader =
  (change: (header: Header) => Partial<Header>): Forge =>
  (header, records) => [{ ...header, ...change(header) }, records]

const ofOptions = (change: Partial<Header['options']>): Forge =>
  ofHeader(({ options }) => ({ options: { ...options, ...change } }))
const ofOrder = (name: string): Forge =>
  ofHeader(({ requires = [] }) => ({
    requires: [...requires, 'order'].sort(),
    order: { name, version: '1.0.0', config: {}, claims: { fixed: name !== 'wfp', history: false } },
  }))
const ofPolicy = (change: Partial<Header['policy']>): Forge =>
  ofHeader(({ policy }) => ({ policy: { ...policy, ...change } }))
const ofClaims = (change: Partial<Header['policy']['claims']>): Forge =>
  ofHeader(({ policy }) => ({ policy: { ...policy, claims: { ...policy.claims, ...change } } }))
const ofReserves =
  (change: (record: Extract<LogRecord, { type: 'reserve' }>, all: ReadonlyArray<LogRecord>) => object): Forge =>
  (header, records) => [
    header,
    records.map((record) => (record.type === 'reserve' ? { ...record, ...change(record, records) } : record)),
  ]

const ofRecords =
  (change: (record: LogRecord) => object): Forge =>
  (header, records) => [header, records.map((record) => ({ ...record, ...change(record) }))]

describe('a forged log with new seals', () => {
  /** Forgeries that `audit` finds without --rerun, with a pattern of the violation. */
  it.each<[string, Forge, RegExp]>([
    [
      'with a queue without backfilling in the header',
      ofOptions({ queue: 'fcfs' }),
      /backfill at record .*but the queue discipline makes no reservations/,
    ],
    ['with another queue order in the header', ofOrder('smallest'), /queue-order at record/],
    ['with an order whose scores change in the header', ofOrder('wfp'), /queue-order at record/],
    ['with a smaller window in the header', ofOptions({ queue: 'easy:1' }), /backfill-window at record/],
    [
      'with conservative backfilling in the header',
      ofOptions({ queue: 'conservative:5' }),
      /window-reserved at record/,
    ],
    [
      'with another scheduler in the header',
      ofOptions({ queue: 'external' }),
      /header at record 0: the queue is external, but only an observed log may have this queue/,
    ],
    [
      'with another machine in the header',
      ofHeader(({ topology }) => ({ topology: { ...topology, name: 'radix:10' } })),
      /header at record 0: .*another machine/,
    ],
    [
      'with a note and without refusals in the header',
      (header, records) => [
        header,
        records.map((record) => (record.type === 'allocate' ? { ...record, note: 1 } : record)),
      ],
      /refusals-recorded at record/,
    ],
    [
      'with a larger workload in the header',
      ofHeader(({ workload }) => ({ workload: { ...workload, jobs: 81 } })),
      /workload-count at record/,
    ],
    [
      'with a router in the header',
      ofHeader(() => ({ router: { name: 'partition', version: '1.0.0', claims: { links: 'owned', changes: 'own' } } })),
      /routes-paired at record/,
    ],
    ['with a claim of capped links', ofClaims({ links: 'capped' }), /link-capacity: /],
    ['with a claim of another rule', ofClaims({ rule: 'laas' }), /laas at record/],
    [
      'with a claim of full bandwidth without a rule',
      ofClaims({ links: 'shared', rule: 'none' }),
      /Claims of the policy that were never tested/,
    ],
    [
      'with reservations at a much later time',
      ofReserves(() => ({ start: 100_000_000_000 })),
      /reservation-start at record/,
    ],
    [
      'with reservations at a slightly later time',
      ofReserves(({ start }) => ({ start: start + 1 })),
      /reservation-start at record/,
    ],
    [
      'with reservations of fewer nodes',
      ofReserves(({ nodes }) => ({ nodes: nodes.split(',')[0].split('-')[0] })),
      /exact-size at record/,
    ],
    [
      'without reservations',
      (header, records) => [header, records.filter(({ type }) => type !== 'reserve' && type !== 'unreserve')],
      /head-reserved at record/,
    ],
  ])('a forged log with new seals fails audit: %s', async (_, forge, objection) => {
    const folder = new Folder()
    const log = await forged(folder, forge, '--queue', 'easy:50')
    const { code, stdout, stderr } = await folder.cloister('audit', log)
    expect(stderr).toBe('')
    expect(stdout).toMatch(objection)
    expect(code).toBe(1)
  })

  it.each<[string, Forge, RegExp]>([
    ['with a larger window in the header', ofOptions({ queue: 'easy:500' }), /rerun at record \d+/],
    ['with another policy in the header', ofPolicy({ name: 'least-constrained', config: {} }), /rerun at record \d+/],
    [
      'with another configuration in the header',
      ofPolicy({ config: { order: 'first', leafJobsHoldUplinks: false } }),
      /rerun|order/,
    ],
    [
      'with another version of the policy in the header',
      ofPolicy({ version: '0.9.0' }),
      /policy: the log is by version 0\.9\.0/,
    ],
    [
      'with fewer claims',
      ofClaims({ complete: false, monotone: false }),
      /rerun at record 0: the field claims of the policy/,
    ],
    [
      'without the claim of speed-up scenarios',
      ofClaims({ speedup_scenarios: false }),
      /rerun at record 0: the field claims of the policy/,
    ],
    [
      'with another checksum of the jobs',
      ofHeader(({ workload }) => ({ workload: { ...workload, sha256: '0'.repeat(64) } })),
      /rerun at record 0: the jobs of synth:8:80 have the checksum/,
    ],
    [
      'with the origin of a driven log',
      ofHeader(() => ({ origin: 'driven' })),
      /origin: a rerun cannot test the events of a real machine/,
    ],
    [
      'with later reservations, at the end of another job',
      ofReserves(({ seq, start, t }, all) => ({ start: laterEnd(all, seq, start, t) })),
      /rerun at record \d+.*the policy decides differently in the rerun/,
    ],
    ['with a scenario in the header', ofOptions({ scenario: '20%' }), /rerun at record 0: the submit records of/],
    ['with other arrivals in the header', ofOptions({ arrivals: 'recorded' }), /arrivals/],
    [
      'with a filter in the header',
      ofHeader(({ workload }) => ({ workload: { ...workload, filter: 'size<9' } })),
      /filter|size<9/,
    ],
    [
      'with three ranks on each node of a job',
      ofRecords((record) =>
        record.type === 'allocate' && /^\d+$/.test(record.nodes)
          ? { ranks: [Number(record.nodes), Number(record.nodes), Number(record.nodes)] }
          : {},
      ),
      /rerun at record \d+.*the policy decides differently in the rerun/,
    ],
    [
      'with ends of jobs that failed',
      ofRecords((record) => (record.type === 'finish' ? { status: 'failed' } : {})),
      /records-of-origin at record \d+.*the field status/,
    ],
  ])('a forged log with new seals fails audit --rerun: %s', async (what, forge, objection) => {
    const folder = new Folder()
    const log = await forged(folder, forge, '--queue', 'easy:5')
    const answer = await folder.cloister('audit', log, '--rerun')
    expect(answer.stdout + answer.stderr).toMatch(objection)
    expect(answer.code, what).toBeGreaterThan(0)
  })

  /** The README of the auditor names these limits: members that no rule uses, and options without effect on the log. */
  it.each<[string, Forge]>([
    ['another program', ofHeader(() => ({ program: 'other@9.9.9' }))],
    ['another epoch', ofHeader(() => ({ epoch: 5 }))],
    ['the seed of a run that draws nothing', ofOptions({ seed: 99 })],
    ['the option replan of a run in which no reservation moves', ofOptions({ replan: true })],
  ])('audit --rerun cannot notice in the header: %s', async (_, forge) => {
    const folder = new Folder()
    const log = await forged(folder, forge, '--queue', 'easy:5')
    expect(await folder.cloister('audit', log, '--rerun')).toMatchObject({ code: 0 })
  })

  it('a forged log fails audit --rerun: the jobs of another seed under the name and the checksum of the workload', async () => {
    const folder = new Folder()
    const recordsOf = async (trace: string): Promise<readonly [Header, ReadonlyArray<LogRecord>]> => {
      const words = ['--trace', trace, '--topology', 'radix:8', '--policy', 'jigsaw', '--queue', 'easy:5']
      await folder.cloister('simulate', ...words, '--out', 'run.ndjson', '--force')
      const { records } = readAll(readFileSync(join(folder.path, 'run.ndjson')))
      return [records[0] as Header, records.slice(1)]
    }
    const [{ workload: claimed }] = await recordsOf('synth:8:80')
    const [header, records] = await recordsOf('synth:8:80:9')
    const { name, sha256 } = claimed
    folder.write('forged.ndjson', resealed({ ...header, workload: { ...header.workload, name, sha256 } }, records))
    expect((await folder.cloister('audit', 'forged.ndjson')).code).toBe(0)
    const { code, stdout } = await folder.cloister('audit', 'forged.ndjson', '--rerun')
    expect(stdout).toMatch(/rerun at record 0: the submit records of synth:8:80 have the checksum/)
    expect(stdout).toMatch(/rerun at record 1, .*: the workload has a different job: \{"seq":1,/)
    expect(code).toBe(1)
  })

  it('regression: audit --rerun of jobs without turns under the order recorded ended with an error of the order', async () => {
    const folder = new Folder()
    folder.write('jobs.swf', '1 0 5 100 4 -1 -1 4 120 -1 1 -1 -1 -1 -1 -1 -1 -1\n')
    const words = ['--trace', 'jobs.swf', '--topology', 'radix:8', '--policy', 'baseline', '--order', 'recorded']
    await folder.cloister('simulate', ...words, '--out', 'run.ndjson')
    const { records } = readAll(readFileSync(join(folder.path, 'run.ndjson')))
    const [header, ...body] = records
    const without = body.map((record) => {
      if (record.type !== 'submit') return record
      const { turn: _turn, ...rest } = record
      return rest
    })
    folder.write('forged.ndjson', resealed(header as Header, without))
    const { code, stdout } = await folder.cloister('audit', 'forged.ndjson', '--rerun', '--trace', 'jobs.swf')
    expect(stdout).toMatch(/turns at record 1, /)
    expect(stdout).toMatch(/policy: order recorded gives job 1 the score NaN/)
    expect(code).toBe(1)
  })

  it('audit --rerun compares the submits and the ends of jobs with the trace of --trace, and needs the trace', async () => {
    const folder = new Folder()
    folder.write('jobs.swf', '1 0 -1 100 4 -1 -1 4 120 -1 1 -1 -1 -1 -1 -1 -1 -1\n')
    const words = ['--trace', 'jobs.swf', '--topology', 'radix:8', '--policy', 'baseline', '--estimates', 'requested']
    await folder.cloister('simulate', ...words, '--out', 'run.ndjson')
    const missing = await folder.cloister('audit', 'run.ndjson', '--rerun')
    expect(missing.stdout).toMatch(/workload: the jobs of "jobs" are not at hand; --trace gives their trace/)
    expect(missing.code).toBe(1)
    const given = ['--rerun', '--trace', 'jobs.swf']
    expect(await folder.cloister('audit', 'run.ndjson', ...given)).toMatchObject({ code: 0 })
    const { records } = readAll(readFileSync(join(folder.path, 'run.ndjson')))
    const [header, ...body] = records
    const later = body.map((record) => ('t' in record && record.t === 100 ? { ...record, t: 110 } : record))
    folder.write('later.ndjson', resealed(header as Header, later))
    const forged = await folder.cloister('audit', 'later.ndjson', ...given)
    expect(forged.stdout).toMatch(/rerun at .*: by the run time in the workload, the job ends at 100 s/)
    expect(forged.code).toBe(1)
  })

  it('a log with new seals but without a change passes audit --rerun, which names the policy that ran again', async () => {
    const folder = new Folder()
    const log = await forged(folder, (header, records) => [header, records], '--queue', 'easy:5')
    const { code, stdout } = await folder.cloister('audit', log, '--rerun')
    expect(code, stdout).toBe(0)
    expect(stdout).toMatch(/^rerun +\d+$/m)
    expect(await folder.json('audit', log, '--rerun')).toMatchObject({
      ok: true,
      rerun: { policy: expect.stringMatching(/^jigsaw@/) },
    })
  })
})

/** Returns the next estimated end of a running job after a time. */
function laterEnd(all: ReadonlyArray<LogRecord>, seq: number, start: number, t: number): number {
  const estimates = new Map(all.flatMap((record) => (record.type === 'submit' ? [[record.job, record.estimate!]] : [])))
  const running = new Map<string, number>()
  for (const record of all) {
    if (record.seq >= seq) break
    if (record.type === 'allocate') running.set(record.job, record.t + estimates.get(record.job)!)
    if (record.type === 'finish') running.delete(record.job)
  }
  return Math.min(...[...running.values()].filter((end) => end > start && end > t), start * 2 + 1)
}
