import { extractWindow, type Header, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { MetricsFold } from '@cloister/metrics'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareRuns } from '../src/page/state/comparison.ts'
import { RunClient } from '../src/page/state/run-client.ts'
import { pack, unpack } from '../src/run/messages.ts'
import type { Answerer, Moment, QuestionName, Questions } from '../src/run/questions.ts'
import type { ViewedRun } from '../src/run/viewed-run.ts'
import { type RunLog, runs, viewed } from './runs.ts'

/** Logs of random runs, each with the log of a part of the run, from `from` to `until` in seconds. */
const cuts: fc.Arbitrary<{
  readonly log: RunLog
  readonly part: RunLog
  readonly from: number
  readonly until: number
}> = fc.tuple(runs, fc.nat(25), fc.nat(25)).map(([log, from, length]) => {
  const chunks: Array<Uint8Array> = []
  extractWindow(
    () => log.records,
    from,
    from + length,
    (chunk) => chunks.push(chunk),
    sha256,
  )
  const bytes = Buffer.concat(chunks)
  const records = [...readLog([bytes], sha256)]
  return { log, part: { bytes, records }, ...(records[0] as Header).part! }
})

function answer<Name extends QuestionName>(
  run: ViewedRun,
  name: Name,
  question: Questions[Name]['ask'],
): Questions[Name]['answer'] {
  const { json, arrays } = run.answer(name, question)
  return { ...(json as object), ...arrays } as Questions[Name]['answer']
}

it('the answers about a log of a part of a run have the figures of the part, not of the whole run', () => {
  fc.assert(
    fc.property(cuts, ({ log, part, from, until }) => {
      const fold = new MetricsFold({ window: { from, until } })
      for (const record of log.records) fold.add(record)
      const [ofPart, ofRun] = [viewed(part), viewed(log)]
      expect(answer(ofPart, 'metrics', {})).toEqual(fold.result())
      const overview = answer(ofPart, 'overview', {})
      expect(overview.lastTime).toBe(until)
      if (until === from) return
      const times = { from, to: until, points: 8 }
      expect(answer(ofPart, 'timeline', times)).toEqual(answer(ofRun, 'timeline', times))
      expect(answer(ofPart, 'linkUse', times)).toEqual(answer(ofRun, 'linkUse', times))
      const area = { ...times, firstNode: 0, endNode: 9 }
      expect(answer(ofPart, 'area', { ...area, from: from - 5 })).toEqual(answer(ofRun, 'area', area))
    }),
    { numRuns: 60 },
  )
})

it('a `ViewedRun` of a part of a run shows no state before the part, because the log lacks earlier jobs', () => {
  fc.assert(
    fc.property(cuts, fc.nat(), ({ part, log, from }, at) => {
      const run = viewed(part)
      const { first } = answer(run, 'overview', {})
      const seen = ({ free, waiting, running, down }: Moment): unknown => [free, waiting, running.length, down]
      const atBegin = seen(answer(viewed(part), 'moment', { seq: first }))
      const before = answer(viewed(log), 'moment', { t: from - 0.001 })
      if (first > 0) expect(atBegin).toEqual(seen(before))
      for (const earlier of [{ seq: at % (first + 1) }, { t: from / 2 }]) {
        const moment = answer(viewed(part), 'moment', earlier)
        if (first > 0) expect(seen(moment)).toEqual(atBegin)
      }
      const back = answer(run, 'step', { seq: first, by: 'record', direction: -1 })
      expect(back.seq).toBe(first)
      const { before: counts } = answer(run, 'record', { seq: Math.max(1, first) })
      expect(counts === null).toBe(first > 0)
    }),
    { numRuns: 60 },
  )
})

async function clientOf(side: 'a' | 'b', log: RunLog): Promise<RunClient> {
  const run = viewed(log)
  const answerer: Answerer = {
    async ask<Name extends QuestionName>(name: Name, question: Questions[Name]['ask']) {
      const { json, arrays } = unpack(pack(run.answer(name, question)).buffer)
      return { ...(json as object), ...arrays } as Questions[Name]['answer']
    },
  }
  const client = new RunClient(side, answerer)
  await client.update()
  return client
}

it('`compareRuns` finds no difference between a run and its part, although the part lacks later starts and ends', async () => {
  await fc.assert(
    fc.asyncProperty(cuts, fc.boolean(), async ({ log, part }, isPartFirst) => {
      const [a, b] = isPartFirst ? [part, log] : [log, part]
      const { divergences, sooner, later } = compareRuns(await clientOf('a', a), await clientOf('b', b))
      expect({ divergences, sooner, later }).toEqual({ divergences: [], sooner: 0, later: 0 })
    }),
    { numRuns: 60 },
  )
})
