import { FoldError, type Header, type LogRecord, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { conservativeRuns, run, type RunOptions, runs } from '@cloister/kernel/random-runs'
import { bindPolicy } from '@cloister/placement'
import { parseTopology } from '@cloister/topology'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { explain, NotSimulatedError, rerun, type RerunResult } from '../src/index.ts'

const anyRuns = fc.oneof(runs, conservativeRuns)

function repeat(
  { policy, config, topology, runTimes }: Pick<RunOptions, 'policy' | 'config' | 'topology' | 'runTimes'>,
  records: ReadonlyArray<LogRecord>,
): RerunResult {
  const { placer } = bindPolicy(policy, parseTopology(topology), config)
  return rerun({ records: () => records, placer, policyName: policy.name, ...(runTimes && { runTimes }) })
}

describe('rerun', () => {
  it('repeats a log to the last record, under any policy and queue, with outages and cancellations', () => {
    fc.assert(
      fc.property(anyRuns, (options) => {
        const { records } = run(options)
        expect(repeat(options, records)).toMatchObject({
          compared: records.length,
          difference: undefined,
          refusals: [],
        })
      }),
      { numRuns: 300 },
    )
  })

  it('finds no difference in a log that was cut off at any record', () => {
    fc.assert(
      fc.property(anyRuns, fc.nat(), (options, at) => {
        const { text } = run(options)
        const cut = text.slice(0, text.indexOf('\n', at % text.length) + 1)
        const records = [...readLog([Buffer.from(cut, 'latin1')], sha256)]
        expect(repeat(options, records)).toMatchObject({
          compared: records.length,
          difference: undefined,
          refusals: [],
        })
      }),
      { numRuns: 100 },
    )
  })

  it("gives the first different decision, and the policy's answer in the state before the decision", () => {
    fc.assert(
      fc.property(runs, fc.nat(), (options, at) => {
        const { records } = run(options)
        const allocates = records.filter(({ type, seq }) => type === 'allocate' && seq > 0)
        fc.pre(allocates.length > 0)
        const edited = allocates[at % allocates.length]
        const changed = records.map((record) =>
          record === edited ? { ...record, nodes: '0-999' } : record,
        ) as ReadonlyArray<LogRecord>
        const { compared, difference } = repeat(options, changed)
        expect(compared).toBe(edited.seq)
        expect(difference?.seq).toBe(edited.seq)
        expect(difference?.repeated).toEqual(edited)
        expect(difference?.before.seq).toBe(edited.seq - 1)
        expect(difference?.answers.map(({ job }) => job)).toEqual(['job' in edited ? edited.job : ''])
      }),
      { numRuns: 100 },
    )
  })

  it('finds a change of any field of a decision: job, time, allocation, cause', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(anyRuns, fc.nat(), (options, which) => {
        const { records } = run({ ...options, refusals: true })
        for (const [edited, field] of partsOfDecisions(records, which)) {
          seen.add(`${edited.type}.${field}`)
          const before = edited[field as keyof LogRecord]
          const changed = { ...edited, [field]: field === 'job' ? `not ${before}` : another(before) }
          const log = records.map((record) => (record === edited ? changed : record))
          // No record submits a job of the changed name.
          if (field === 'job') expect(() => repeat(options, log)).toThrow(FoldError)
          else {
            const { difference } = repeat(options, log)
            expect(difference?.seq, JSON.stringify(changed)).toBe(edited.seq)
            expect(difference?.repeated).toEqual(edited)
          }
        }
      }),
      { numRuns: 40 },
    )
    for (const each of ['allocate.nodes', 'allocate.backfill', 'reserve.start', 'unreserve.for', 'refuse.constraint'])
      expect([...seen]).toContain(each)
  })
})

/** Returns each field of each type of decision, with a record of the log that has the field. */
function partsOfDecisions(
  records: ReadonlyArray<LogRecord>,
  which: number,
): ReadonlyArray<readonly [LogRecord, string]> {
  const decisions = records.filter(({ type }) => !inputs.has(type) && !frame.has(type))
  return [...new Set(decisions.map(({ type }) => type))].flatMap((type) => {
    const ofType = decisions.filter((record) => record.type === type)
    const fields = [...new Set(ofType.flatMap((record) => Object.keys(record)))].filter(
      (field) => !['seq', 'type', 't'].includes(field),
    )
    return fields.map((field) => {
      const holders = ofType.filter((record) => field in record)
      return [holders[which % holders.length], field] as const
    })
  })
}

const inputs: ReadonlySet<string> = new Set(['submit', 'cancel', 'finish', 'down', 'up'])
const frame: ReadonlySet<string> = new Set(['header', 'seal', 'end'])

function another(value: unknown): unknown {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'string') return `${value}0`
  return Array.isArray(value) ? [...value, value[0]] : { other: value }
}

describe('rerun of changed logs', () => {
  it('finds no difference in additional fields, in records of unknown types, and in a log without seals', () => {
    fc.assert(
      fc.property(anyRuns, fc.nat(), (options, at) => {
        const { records } = run(options)
        const withoutSeals = records.filter(({ type }) => type !== 'seal')
        const other = withoutSeals.flatMap((record, index): ReadonlyArray<LogRecord> => {
          const extended = { ...record, mood: 'sanguine' }
          const { seq } = record
          if (record.type === 'header' || index % (1 + (at % 7)) !== 0) return [extended]
          return [extended, { seq: seq + 0.5, t: record.t, type: 'unknown', name: 'weather' }]
        })
        const renumbered = renumber(other)
        expect(repeat(options, renumbered)).toMatchObject({ compared: renumbered.length, difference: undefined })
      }),
      { numRuns: 100 },
    )
  })
})

it('rerun refuses logs of other schedulers and parts of runs, but explain accepts logs of other schedulers', () => {
  fc.assert(
    fc.property(runs, (options) => {
      const { records } = run({ ...options, refusals: false })
      const [header, ...others] = records
      const first = header as Header
      const observed = [
        { ...first, origin: 'observed', options: { ...first.options, queue: 'external' } } as const,
        ...others,
      ]
      expect(() => repeat(options, observed)).toThrow(NotSimulatedError)
      const part = [{ ...header, requires: ['part'], part: { from: 0, until: 1 } } as LogRecord, ...others]
      expect(() => repeat(options, part)).toThrow('the log is a part of a run, from 0 s to 1 s')
      expect(explain(() => observed, '1')).toMatchObject({ job: '1' })
    }),
    { numRuns: 20 },
  )
})

/** Returns records whose seqs are their indices, and whose references to seqs are changed accordingly. */
function renumber(records: ReadonlyArray<LogRecord>): ReadonlyArray<LogRecord> {
  const seqs = new Map(records.map(({ seq }, place) => [seq, place]))
  const references = ['seq', 'cause', 'for', 'backfill']
  return records.map(
    (record) =>
      Object.fromEntries(
        Object.entries(record).map(([name, value]) => [name, references.includes(name) ? seqs.get(value) : value]),
      ) as unknown as LogRecord,
  )
}
