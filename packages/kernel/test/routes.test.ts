import { sha256 } from '@cloister/eventlog/node'
import { baseline } from '@cloister/policy-baseline'
import { jigsaw } from '@cloister/policy-jigsaw'
import { partitionRouter } from '@cloister/routing'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { numbered, run, type RunOptions, runs } from './random-runs.ts'

const router = partitionRouter(sha256)

it('records what the start of each job adds to the tables, and the same when its end takes it away', () => {
  const routed = runs.filter(({ policy }) => policy !== baseline).map((options) => ({ ...options, router }))
  fc.assert(fc.property(routed, (options) => {
    const added = new Map<string, string>()
    for (const record of run(options).records) {
      if (record.type === 'allocate') expect(added.has(record.job)).toBe(false)
      if (record.type !== 'route') continue
      const said = `${record.scheme} ${record.entries} ${record.digest}`
      if (record.op === 'add') added.set(record.job, said)
      else {
        expect(said).toBe(added.get(record.job))
        added.delete(record.job)
      }
    }
    expect(added.size).toBe(0)
  }), { numRuns: 60 })
})

it('changes nothing else in the log', () => {
  fc.assert(fc.property(runs.filter(({ policy }) => policy === jigsaw), (options) => {
    const decisions = (one: RunOptions): ReadonlyArray<unknown> => run(one).records
      .filter(({ type }) => type === 'allocate' || type === 'release' || type === 'reserve' || type === 'kill')
      .map((record) => ({ ...record, seq: 0, cause: 0, for: 0, backfill: 0 }))
    expect(decisions({ ...options, router })).toEqual(decisions(options))
  }), { numRuns: 60 })
})

it('says which policy gives links that cannot be routed', () => {
  const jobs = numbered([{ submit: 0, size: 5, runTime: 1000, walltime: undefined }])
  expect(() => run({
    topology: 'radix:4', policy: baseline, config: {}, jobs, queue: { order: 'submit', backfill: 'none' },
    walltime: 'exact', overrun: 'run-on', decisions: false, router,
  })).toThrow(/^policy baseline: gave job 1 links that partition cannot route: /)
})
