import { extractWindow, type Header, type LogRecord, readLog, RunTable, type Window } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  computeMetrics,
  JobColumns,
  jobNumbers,
  jobTexts,
  metricList,
  MetricsFold,
  parseJobQuery,
  selectJobs,
  Timeline,
  timelineFigures,
} from '../src/index.ts'
import { naiveMetrics } from './naive-model.ts'
import { randomLog } from './random-log.ts'

/** Log of a whole run, log of a part of the run, and the times of the part. */
interface Cut {
  readonly log: ReadonlyArray<LogRecord>
  readonly part: ReadonlyArray<LogRecord>
  readonly window: Window
}

const cuts: fc.Arbitrary<Cut> = fc
  .tuple(
    randomLog.filter((log) => log.length > 1),
    fc.nat(300),
    fc.nat(300),
  )
  .map(([records, from, length]) => {
    const log = records.map((record) =>
      record.type === 'submit' ? { ...record, account: `account ${Number(record.job) % 3}` } : record,
    )
    const chunks: Array<Uint8Array> = []
    extractWindow(
      () => log,
      from,
      from + length,
      (chunk) => chunks.push(chunk),
      sha256,
    )
    const part = [...readLog(chunks, sha256)]
    return { log, part, window: (part[0] as Header).part! }
  })

function folded(records: ReadonlyArray<LogRecord>, fold: MetricsFold): MetricsFold {
  for (const record of records) fold.add(record)
  return fold
}

it('the log of a part of a run has the metrics of the same window of the whole log', () => {
  fc.assert(
    fc.property(cuts, ({ log, part, window }) => {
      const ofWindow = folded(log, new MetricsFold({ window })).result()
      const ofPart = computeMetrics(part)
      for (const { name, of } of metricList) expect(of(ofPart), name).toEqual(of(ofWindow))
    }),
    { numRuns: 120 },
  )
})

it('the metrics of a window equal metrics computed from the state of every second of the window', () => {
  fc.assert(
    fc.property(cuts, ({ part, log, window }) => {
      const naive = naiveMetrics(log, window)
      const metrics = computeMetrics(part)
      const defined = Object.keys(naive) as ReadonlyArray<keyof typeof naive>
      expect(rounded(Object.fromEntries(defined.map((name) => [name, metrics[name]])))).toEqual(rounded(naive))
    }),
    { numRuns: 100 },
  )
})

it('in a window, utilization.steady, steadyState, makespan and fragmentation are null, and utilization.overall and nodeTime are not', () => {
  const [{ part, log }] = fc.sample(
    cuts.filter(({ window, log: whole }) => {
      const { jobs } = computeMetrics(whole)
      return window.until > window.from && jobs.finished > 0 && computeMetrics(whole).steadyState !== null
    }),
    1,
  )
  const [ofPart, ofRun] = [computeMetrics(part), computeMetrics(log)]
  const ofWholeRuns = new Set(['utilization.steady', 'steadyState', 'makespan'])
  for (const { name, of } of metricList) {
    if (!ofWholeRuns.has(name) && !name.startsWith('fragmentation.')) continue
    expect(of(ofPart), name).toBeNull()
    expect(of(ofRun), name).not.toBeNull()
  }
  expect(ofPart.utilization.overall).not.toBeNull()
  expect(ofPart.nodeTime).not.toBeNull()
})

it('the log of a part of a run has the figures of groups and of queried jobs of the same window of the whole log', () => {
  fc.assert(
    fc.property(cuts, fc.constantFrom(undefined, 'size>3', 'state=finished'), ({ log, part, window }, text) => {
      const query = text === undefined ? undefined : parseJobQuery(text)
      expect(folded(part, new MetricsFold({ by: 'account', query })).groups()).toEqual(
        folded(log, new MetricsFold({ by: 'account', query, window })).groups(),
      )
    }),
    { numRuns: 120 },
  )
})

it('JobColumns of the log of a part of a run have the jobs of the same window of the whole log, with the same fields', () => {
  fc.assert(
    fc.property(cuts, ({ log, part, window }) => {
      const listed = (records: ReadonlyArray<LogRecord>, table: RunTable): unknown => {
        for (const record of records) table.add(record)
        const columns = new JobColumns(table)
        const rows = Array.from(selectJobs(columns, []))
        expect(rows.length).toBe(columns.jobsOfWindow)
        return rows.map((row) => [...jobNumbers, ...jobTexts].map((field) => columns.value(field, row)))
      }
      expect(listed(part, new RunTable({ details: true }))).toEqual(
        listed(log, new RunTable({ details: true }, window)),
      )
    }),
    { numRuns: 120 },
  )
})

it('Timeline of the log of a part of a run equals the timeline of the same window of the whole log, without values before and after', () => {
  fc.assert(
    fc.property(cuts, ({ log, part, window }) => {
      const timeline = (records: ReadonlyArray<LogRecord>, within?: Window): Timeline => {
        const made = new Timeline(records[0] as Header, undefined, within)
        for (const record of records) made.add(record)
        return made
      }
      const [ofPart, ofWindow, ofRun] = [timeline(part), timeline(log, window), timeline(log)]
      const { from, until } = window
      const to = Math.max(from + 1, until)
      expect(ofPart.means(from - 10, to + 10, 37)).toEqual(ofWindow.means(from - 10, to + 10, 37))
      expect(ofPart.extremes(from - 10, to + 10, 37)).toEqual(ofWindow.extremes(from - 10, to + 10, 37))
      expect(ofPart.idleCauses(0, 1000)).toEqual(ofWindow.idleCauses(0, 1000))
      for (const figure of timelineFigures) {
        expect(ofPart.highest(figure, 0, 1000)).toEqual(ofWindow.highest(figure, 0, 1000))
        const { [figure]: outside } = ofPart.means(from - 20, from, 4)
        expect([...outside]).toEqual(Array(4).fill(Number.NaN))
      }
      if (until > from) expect(ofPart.extremes(from, until, 8)).toEqual(ofRun.extremes(from, until, 8))
    }),
    { numRuns: 80 },
  )
})

it('the metrics of a window that covers the whole run have the node-time of the run', () => {
  fc.assert(
    fc.property(randomLog, (log) => {
      const last = log.findLast((record) => record.type === 'finish' || record.type === 'kill') as
        | { readonly t: number }
        | undefined
      const all = folded(log, new MetricsFold({ window: { from: 0, until: last?.t ?? 0 } })).result()
      const { nodeTime, utilization } = computeMetrics(log)
      expect(all).toMatchObject({
        nodeTime,
        utilization: { overall: utilization.overall, perMinute: utilization.perMinute },
      })
    }),
    { numRuns: 100 },
  )
})

/** Rounds to 12 digits, because the two computations add the same numbers in different units. */
function rounded(metrics: object): unknown {
  return JSON.parse(
    JSON.stringify(metrics, (_, value) => (typeof value === 'number' ? Number(value.toPrecision(12)) : value)),
  )
}
