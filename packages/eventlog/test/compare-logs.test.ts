import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareLogs, type LogRecord } from '../src/index.ts'
import { chance, tellLegalHistory } from './legal-history.ts'
import { read } from './reading.ts'
import { anyTopology, type Call, sampleHeader, topologies, writeLog } from './sample-logs.ts'

const ids = (...list: Array<number>): Int32Array => Int32Array.from(list)
/** Returns a log of jobs of one node, submitted at 0 s, each given by its start in seconds and its node. */
function log(
  starts: ReadonlyArray<readonly [start: number, node: number] | undefined>,
  header = sampleHeader({ seal_every: 7 }),
): ReadonlyArray<LogRecord> {
  const calls: Array<Call> = starts.map(
    (_, job) => (to) => to.record({ type: 'submit', t: 0, job: `j${job}`, size: 1, estimate: 10_000 }),
  )
  const seqs: Array<number> = []
  const started = starts
    .flatMap((at, job) => (at === undefined ? [] : [{ t: at[0] * 1000, node: at[1], job }]))
    .sort((a, b) => a.t - b.t || a.job - b.job)
  for (const { t, node, job } of started)
    calls.push((to) => (seqs[job] = to.record({ type: 'allocate', t, job: `j${job}`, nodes: ids(node), cause: 1 })))
  return read(writeLog(header, topologies[0], [...calls, end])).records
}

const end: Call = (to) =>
  to.record({ type: 'end', t: 99_000, submitted: 0, started: 0, finished: 0, rejected: 0, killed: 0, cancelled: 0 })

describe('compareLogs', () => {
  it('compareLogs finds two logs equal in `bytes` exactly if all records are equal', () => {
    fc.assert(
      fc.property(anyTopology, fc.boolean(), chance, (topology, capped, next) => {
        const header = sampleHeader({ seal_every: 5 }, capped ? 'capped' : 'owned')
        const { records } = read(
          writeLog(header, topology, [(to) => (tellLegalHistory(to, topology, capped, 100, next), 0)]),
        )
        const result = compareLogs(records, records)
        expect(result).toMatchObject({
          equal: 'bytes',
          headerFields: [],
          divergence: undefined,
          jobs: { sooner: 0, later: 0, onlyA: 0, onlyB: 0 },
          winners: [],
          losers: [],
        })
        const jobs = new Set(records.flatMap((record) => (record.type === 'submit' ? [record.job] : [])))
        expect(result.jobs.both).toBe(jobs.size)
      }),
      { numRuns: 50 },
    )
  })

  it('compareLogs finds the changes in wait that a subtraction of the start times gives', () => {
    // No other job uses the two nodes of a job.
    const starts = fc.tuple(
      ...Array.from({ length: 6 }, (_, job) =>
        fc.option(fc.tuple(fc.nat(50), fc.constantFrom(2 * job, 2 * job + 1)), { nil: undefined }),
      ),
    )
    fc.assert(
      fc.property(starts, starts, (a, b) => {
        const result = compareLogs(log(a), log(b), 100)
        const changes = a
          .flatMap((one, job) => (one === undefined || b[job] === undefined ? [] : [b[job][0] - one[0]]))
          .sort((x, y) => x - y)
        expect(result.jobs).toMatchObject({
          both: 6,
          sooner: changes.filter((change) => change < 0).length,
          same: changes.filter((change) => change === 0).length,
          later: changes.filter((change) => change > 0).length,
          startedOnlyA: a.filter((one, job) => one !== undefined && b[job] === undefined).length,
          startedOnlyB: b.filter((one, job) => one !== undefined && a[job] === undefined).length,
        })
        expect([...result.winners, ...result.losers.toReversed()].map(({ change }) => change)).toEqual(
          changes.filter((change) => change !== 0),
        )
        if (changes.length > 0)
          expect(result.change!.mean).toBeCloseTo(changes.reduce((sum, change) => sum + change, 0) / changes.length)
        const decided = (starts: typeof a): string => JSON.stringify(starts)
        const times = (starts: typeof a): string => JSON.stringify(starts.map((one) => one?.[0]))
        expect(result.equal).toBe(decided(a) === decided(b) ? 'bytes' : times(a) === times(b) ? 'times' : 'different')
      }),
      { numRuns: 200 },
    )
  })

  it('compareLogs finds the first decision that only one of two logs has', () => {
    const [a, b] = [
      log([
        [1, 0],
        [2, 1],
        [2, 2],
      ]),
      log([
        [1, 0],
        [2, 2],
        [3, 1],
      ]),
    ]
    const { divergence, equal } = compareLogs(a, b)
    expect(equal).toBe('different')
    expect(divergence).toMatchObject({
      t: 2,
      a: { type: 'allocate', job: 'j1', nodes: '1' },
      b: { type: 'allocate', job: 'j1', nodes: '2' },
    })
  })

  it('compareLogs returns the equality `decisions` for logs that differ only in the header, or in the order of records within an instant', () => {
    const a = log([
      [1, 0],
      [1, 1],
    ])
    const swapped = read(
      writeLog(sampleHeader({ seal_every: 7 }), topologies[0], [
        (to) => to.record({ type: 'submit', t: 0, job: 'j0', size: 1, estimate: 10_000 }),
        (to) => to.record({ type: 'submit', t: 0, job: 'j1', size: 1, estimate: 10_000 }),
        (to) => to.record({ type: 'allocate', t: 1000, job: 'j1', nodes: ids(1), cause: 1 }),
        (to) => to.record({ type: 'allocate', t: 1000, job: 'j0', nodes: ids(0), cause: 1 }),
        end,
      ]),
    ).records
    expect(compareLogs(a, swapped).equal).toBe('decisions')
    const other = log(
      [
        [1, 0],
        [1, 1],
      ],
      sampleHeader({ seal_every: 7, options: { ...sampleHeader().options, seed: 9 } }),
    )
    expect(compareLogs(a, other)).toMatchObject({ equal: 'decisions', headerFields: ['options.seed'] })
  })
})

it('compareLogs throws an error that names the record if a record of a log cannot follow', () => {
  const header = sampleHeader({ seal_every: 7 })
  const sound = read(
    writeLog(header, topologies[0], [(to) => to.record({ type: 'submit', t: 0, job: 'a', size: 1, estimate: 1 }), end]),
  ).records
  for (const call of [
    (to) => to.record({ type: 'finish', t: 0, job: 'never came', cause: 1 }),
    (to) => to.record({ type: 'allocate', t: 0, job: 'never came', nodes: [0], cause: 1 }),
  ] satisfies ReadonlyArray<Call>) {
    const { records } = read(writeLog(header, topologies[0], [call, end]))
    for (const [a, b] of [
      [records, sound],
      [sound, records],
    ] as const)
      expect(() => compareLogs(a, b)).toThrow(
        /^record 1 \((finish|allocate)\): job never came is not (running|waiting)$/,
      )
  }
})
