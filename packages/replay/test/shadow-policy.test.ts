import { run, runs } from '@cloister/kernel/random-runs'
import { bindPolicy, type PlacementPolicy } from '@cloister/placement'
import { baseline } from '@cloister/policy-baseline'
import { jigsaw } from '@cloister/policy-jigsaw'
import { parseTopology } from '@cloister/topology'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareDecisions, recordedInputs, ShadowPolicy } from '../src/index.ts'

const firstComeFirstServed = runs
  .filter(({ config }) => !('sharing' in (config as object)))
  .map((options) => ({ ...options, queue: { backfill: 'none' } as const }))

it('ShadowPolicy gives the same answers about starts as compareDecisions', () => {
  fc.assert(
    fc.property(firstComeFirstServed, (options) => {
      const { records } = run(options)
      const other = options.policy === jigsaw ? baseline : jigsaw
      const bind = () =>
        bindPolicy<any, any>(other as PlacementPolicy<any, any>, parseTopology(options.topology), {}).placer
      const [header] = records
      if (header.type !== 'header') throw new Error('no header')
      const shadow = new ShadowPolicy(header, bind())
      const counts = { same: 0, elsewhere: 0, refuses: 0 }
      const couldStart = new Set<string>()
      for (const [at, record] of records.entries()) {
        if (record.type === 'allocate') {
          const { outcome, isSame, job, seq } = shadow.ask(record)
          expect({ job, seq }).toEqual({ job: record.job, seq: record.seq })
          // Only nodes are compared, because the log's scheduler may allocate no links.
          counts[!outcome.ok ? 'refuses' : isSame ? 'same' : 'elsewhere']++
        } else shadow.follow(record)
        const next = records[at + 1]
        if (record.type === 'header' || (next !== undefined && 't' in next && next.t === record.t)) continue
        const pass = shadow.pass()
        for (const job of pass?.couldStart ?? []) couldStart.add(job)
        expect(pass?.couldStart.length ?? 0).toBeLessThanOrEqual(pass?.waiting ?? 0)
      }
      const { counts: asked } = compareDecisions(recordedInputs(records), records, bind(), ({ kind, job }) => {
        // `compareDecisions` asks about the head alone.
        if (kind === 'starts') expect(couldStart).toContain(job)
      })
      expect(counts.refuses).toBe(asked.refuses)
      expect(counts.same + counts.elsewhere).toBe(asked.same + asked.elsewhere)
    }),
    { numRuns: 25 },
  )
})
