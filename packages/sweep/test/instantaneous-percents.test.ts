import type { LogRecord } from '@cloister/eventlog'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { InstantaneousPercents } from '../src/run-cell.ts'

const nodes = 7

/** Generator of random logs whose jobs start as early as possible, and end in any order. */
const runs: fc.Arbitrary<ReadonlyArray<LogRecord>> = fc
  .array(fc.tuple(fc.integer({ min: 1, max: nodes }), fc.nat(5)))
  .map((jobs) => {
    const records: Array<object> = jobs.map(([size], job) => ({ type: 'submit', job: String(job), size }))
    const running: Array<number> = []
    const busy = (): number => running.reduce((sum, job) => sum + jobs[job][0], 0)
    const end = (choice: number): void =>
      void records.push({
        type: choice % 2 === 0 ? 'finish' : 'kill',
        job: String(running.splice(choice % running.length, 1)[0]),
      })
    for (const [job, [size, choice]] of jobs.entries()) {
      while (busy() + size > nodes) end(choice)
      running.push(job)
      records.push({ type: 'allocate', job: String(job) }, { type: 'reserve', job: 'x' })
    }
    while (running.length > 0) end(0)
    return records as unknown as ReadonlyArray<LogRecord>
  })

test('InstantaneousPercents samples utilisation at each start and end of a job up to the last start, in percents that are cut off', () => {
  fc.assert(
    fc.property(runs, (records) => {
      const fold = new InstantaneousPercents(nodes)
      for (const record of records) fold.add(record)
      const samples: Array<number> = []
      const last = records.findLastIndex(({ type }) => type === 'allocate')
      for (let at = 0; at <= last; at++) {
        if (!['allocate', 'finish', 'kill'].includes(records[at].type)) continue
        const jobs = new Set(
          records.slice(0, at + 1).flatMap((record) => (record.type === 'allocate' ? [record.job] : [])),
        )
        for (const record of records.slice(0, at + 1))
          if (record.type === 'finish' || record.type === 'kill') jobs.delete(record.job)
        const busy = records.reduce(
          (sum, record) => sum + (record.type === 'submit' && jobs.has(record.job) ? record.size : 0),
          0,
        )
        samples.push(Math.trunc((busy * 100) / nodes))
      }
      expect(fold.result()).toEqual(
        Array.from({ length: 101 }, (_, percent) => samples.filter((sample) => sample === percent).length),
      )
    }),
  )
})
