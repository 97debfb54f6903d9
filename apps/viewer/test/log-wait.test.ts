import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { placesOf } from '../src/page/panels/log-wait.tsx'
import { Column } from '../src/run/column.ts'
import type { Growth, JobLife, WholeWhy } from '../src/run/questions.ts'
import { runs, viewed } from './runs.ts'

it('the passes, the place and the overtaking jobs of a wait are the same before and after the explanation of the wait', () => {
  fc.assert(
    fc.property(runs, fc.nat(39), (log, at) => {
      const run = viewed(log)
      const submits = log.records.filter((record) => record.type === 'submit')
      const { job, t: came } = submits[at % submits.length]
      const { passes, number } = run.answer('job', { job }).json as JobLife
      const { explanation } = run.answer('explain', { job }).json as WholeWhy
      expect(passes).toBe(Object.values(explanation!.passes).reduce((sum, each) => sum + each, 0))
      const { ids } = run.answer('growth', { jobs: 0, spans: 0 }).json as Growth
      const { spanJobs, starts } = run.answer('growth', { jobs: 0, spans: 0 }).arrays as unknown as Growth
      const without = log.records.find((record) => record.type === 'reject' && record.job === job)
      const left = without !== undefined && 't' in without ? without.t : Infinity
      const places = placesOf(
        {
          spans: spanJobs.length,
          spanJobs: new Column(Int32Array, Int32Array.from(spanJobs)),
          starts: new Column(Float64Array, Float64Array.from(starts)),
        },
        number,
        { came, left },
      )
      const first = explanation!.ends.find(({ type }) => type === 'allocate')
      const until = first?.seq ?? Infinity
      expect(places.overtakers.map((each) => ids[each])).toEqual(
        explanation!.overtakenBy.filter(({ seq }) => seq < until).map((each) => each.job),
      )
      const isRequeued = log.records.some(({ type }) => type === 'requeue' || type === 'reject')
      if (first?.type === 'allocate' && !isRequeued) expect(places.passed).toBe(first.ahead)
    }),
    { numRuns: 100 },
  )
})
