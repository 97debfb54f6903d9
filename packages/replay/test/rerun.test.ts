import { FoldError, type LogRecord, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { conservativeRuns, run, type RunOptions, runs } from '@cloister/kernel/random-runs'
import { bindPolicy } from '@cloister/placement'
import { parseTopology } from '@cloister/topology'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rerun, type RerunResult } from '../src/index.ts'

const anyRuns = fc.oneof(runs, conservativeRuns)

function repeat(
  { policy, config, topology, runTimes }: Pick<RunOptions, 'policy' | 'config' | 'topology' | 'runTimes'>,
  records: ReadonlyArray<LogRecord>,
): RerunResult {
  const { placer } = bindPolicy(policy, parseTopology(topology), config)
  return rerun({ records: () => records, placer, policyName: policy.name, ...(runTimes && { runTimes }) })
}

describe('a run repeated on its recorded inputs', () => {
  it('decides the same to the last record, whatever the policy, the queue, outages and cancellations', () => {
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

  it('is equal as far as the log goes, wherever it was cut off', () => {
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

  it('gives the first decision that is not the recorded one, and what the policy says there', () => {
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

  it('differs where any part of a decision does: who, when, on what, why', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(anyRuns, fc.nat(), fc.nat(), (options, which, field) => {
        const { records } = run({ ...options, refusals: which % 2 === 0 })
        const decisions = records.filter(({ type }) => !inputs.has(type) && !frame.has(type))
        const edited = decisions[which % decisions.length]
        const fields = Object.keys(edited).filter((name) => !['seq', 'type', 't'].includes(name))
        const name = fields[field % fields.length] as keyof LogRecord
        const changed = { ...edited, [name]: another(edited[name]) }
        seen.add(`${edited.type}.${name}`)
        try {
          const { difference } = repeat(
            options,
            records.map((record) => (record === edited ? changed : record)),
          )
          expect(difference?.seq, JSON.stringify(changed)).toBe(edited.seq)
          expect(difference?.repeated).toEqual(edited)
        } catch (error) {
          // A decision about a job that there is not.
          if (!(error instanceof FoldError)) throw error
          expect(name).toBe('job')
        }
      }),
      { numRuns: 400 },
    )
    for (const each of ['allocate.nodes', 'allocate.cause', 'reserve.start', 'release.cause', 'refuse.constraint'])
      expect([...seen]).toContain(each)
  })
})

const inputs: ReadonlySet<string> = new Set(['submit', 'cancel', 'finish', 'down', 'up'])
const frame: ReadonlySet<string> = new Set(['header', 'seal', 'end'])

/** Another value of the same kind. */
function another(value: unknown): unknown {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'string') return `${value}0`
  return Array.isArray(value) ? [...value, value[0]] : { other: value }
}

describe('what says nothing of a decision makes no difference', () => {
  it('fields and record types that a newer program adds, and seals at other places', () => {
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

/** Gives records their places for seqs, and causes the seqs that those have now. */
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
