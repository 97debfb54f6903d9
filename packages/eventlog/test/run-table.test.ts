import { parseIdset } from '@cloister/topology'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Header, type LogRecord, LogState, RareColumns, RunTable } from '../src/index.ts'
import { chance, tellLegalHistory } from './legal-history.ts'
import { read } from './reading.ts'
import { anyTopology, sampleHeader, writeLog } from './sample-logs.ts'

const histories = fc.tuple(anyTopology, chance).map(([topology, next]) => {
  const bytes = writeLog(sampleHeader(), topology, [(to) => (tellLegalHistory(to, topology, false, 150, next), 0)])
  return read(bytes).records
})

it('RunTable has the waiting jobs, the running jobs and their nodes of LogState after every record of a legal history', () => {
  let withdrawn = 0
  fc.assert(
    fc.property(histories, (records) => {
      const state = new LogState(records[0] as Header)
      const table = new RunTable({ allocations: true })
      for (const record of records) {
        if (record.type !== 'header') state.apply(record)
        if (record.type === 'withdraw') withdrawn++
        table.add(record)
        const idsOf = (...states: ReadonlyArray<string>): ReadonlyArray<string> =>
          Array.from(
            table.rows((job) => states.includes(table.stateOf(job))),
            (job) => table.idOf(job),
          )
        expect(idsOf('waiting').toSorted()).toEqual([...state.waiting.keys()].toSorted())
        const running = [...state.running.values()].filter(({ ended }) => ended === undefined)
        expect(idsOf('running').toSorted()).toEqual(running.map(({ submit }) => submit.job).toSorted())
        expect(nodesHeld(table).toSorted()).toEqual(
          [...state.running.values()]
            .map(({ submit, allocate }) => `${submit.job}:${[...parseIdset(allocate.nodes)].join()}`)
            .toSorted(),
        )
      }
    }),
    { numRuns: 60 },
  )
  expect(withdrawn).toBeGreaterThan(0)
})

/** Returns the job and the nodes of each allocation that is not released. */
function nodesHeld(table: RunTable): ReadonlyArray<string> {
  const { allocations } = table
  const { job, released } = allocations.of
  return Array.from({ length: allocations.length }, (_, row) => row).flatMap((row) => {
    if (!Number.isNaN(released[row])) return []
    const ranges = [...allocations.rangesOf(row)]
    const nodes = ranges.flatMap((first, at) =>
      at % 2 === 1 ? [] : Array.from({ length: ranges[at + 1] - first + 1 }, (__, step) => first + step),
    )
    return [`${table.idOf(job[row])}:${nodes.join()}`]
  })
}

it('RunTable from `stored` answers as the table that was stored', () => {
  fc.assert(
    fc.property(histories, (records) => {
      const parts = { details: true, allocations: true }
      const table = new RunTable(parts)
      for (const record of records) table.add(record)
      const again = new RunTable(parts, undefined, structuredClone(table.stored))
      expect(again.stored).toEqual(table.stored)
      expect(again.allocations.firstOpen).toBe(table.allocations.firstOpen)
      const jobs = [...table.rows(() => true)]
      expect(jobs.map((job) => again.numbers.get(again.idOf(job)))).toEqual(jobs)
    }),
    { numRuns: 20 },
  )
})

it('RunTable names the part that a question needs and the table lacks', () => {
  const table = new RunTable()
  expect(() => table.detailOf('hops', 0)).toThrow('the table was made without the part `details`')
  expect(() => table.allocations).toThrow('the table was made without the part `allocations`')
  expect(() => table.submitOf(0)).toThrow('the table was made without the part `records`')
})

it('RunTable ignores the second submit of a job', () => {
  const table = new RunTable({ records: true })
  const submit = (seq: number, t: number): LogRecord => ({ seq, t, type: 'submit', job: 'a', size: seq })
  for (const record of [submit(1, 0), submit(2, 5)]) table.add(record)
  expect([table.length, table.of.size[0], table.submitOf(0).seq, table.now]).toEqual([1, 1, 1, 5000])
})

it('RareColumns gives the last value of each row, and a column without values has no memory', () => {
  const kinds = { number: Float64Array, whole: Int32Array, unused: Float64Array }
  const value = fc.record({ row: fc.nat(5000), number: fc.option(fc.double({ noNaN: true }), { nil: undefined }) })
  fc.assert(
    fc.property(fc.array(value), (values) => {
      const columns = new RareColumns(kinds)
      const last = new Map<number, number | undefined>()
      for (const { row, number } of values) {
        columns.set('number', row, number)
        columns.set('whole', row, number === undefined ? undefined : row)
        last.set(row, number)
      }
      for (const of of [columns, new RareColumns(kinds, columns.stored(5001))])
        for (let row = 0; row <= 5001; row++) {
          expect(of.get('number', row)).toBe(last.get(row) ?? Number.NaN)
          expect(of.get('whole', row)).toBe(last.get(row) === undefined ? 0 : row)
        }
      expect(columns.stored(5001).unused).toHaveLength(0)
    }),
    { numRuns: 20 },
  )
})
