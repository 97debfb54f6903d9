import { type Header, LogState } from '@cloister/eventlog'
import { Timeline, timelineFigures } from '@cloister/metrics'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { figuresOf } from '../src/run/moment.ts'
import type { Outages } from '../src/run/area.ts'
import type { Moment } from '../src/run/questions.ts'
import { runs, viewed } from './runs.ts'

it('`figuresOf` counts the same figures in a state as a timeline has at the time of the state', () => {
  fc.assert(
    fc.property(runs, (log) => {
      const run = viewed(log)
      const header = log.records[0] as Header
      const timeline = new Timeline(header)
      for (const record of log.records) timeline.add(record)
      const end = log.records.reduce((t, record) => ('t' in record ? record.t : t), 0)
      for (const t of [0, 1, 3, 4.5, 9, 12]) {
        if (t >= end) continue
        const { json, arrays } = run.answer('moment', { t })
        const figures = figuresOf(
          { ...(json as object), ...arrays } as unknown as Moment,
          new LogState(header).topology,
        )
        const { low, high } = timeline.extremes(t, t + 1e-6, 1)
        for (const figure of timelineFigures)
          expect([low[figure][0], high[figure][0]], `${figure} at ${t}`).toEqual([figures[figure], figures[figure]])
      }
    }),
    { numRuns: 50 },
  )
})

it('the answer `outages` has the node, begin and end of each outage', () => {
  fc.assert(
    fc.property(runs, (log) => {
      const { first, last, from, to } = viewed(log).answer('outages', {}).arrays as unknown as Outages
      const downs = log.records.flatMap((record) => (record.type === 'down' ? [record] : []))
      const ups = log.records.flatMap((record) => (record.type === 'up' ? [record] : []))
      expect([...first].map((node, at) => [`${node}`, last[at], from[at], to[at]])).toEqual(
        downs.map(({ nodes, t }) => [nodes, Number(nodes), t, ups[0]?.t ?? Number.NaN]),
      )
    }),
    { numRuns: 50 },
  )
})
