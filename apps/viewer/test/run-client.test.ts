import { type Header, headerTopology, RunTable } from '@cloister/eventlog'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { RunClient } from '../src/page/state/run-client.ts'
import { growthOf } from '../src/run/job-chart.ts'
import type { Answerer, Overview, QuestionName, Questions } from '../src/run/questions.ts'
import { ViewedRun } from '../src/run/viewed-run.ts'
import { runs, viewed } from './runs.ts'

/** Returns an answerer for a log that grows: the overview number n, from 0, has `counts[n]` records. */
function growing(header: Header, status: Overview['status'], counts: ReadonlyArray<number>): Answerer {
  const none = new ViewedRun(header, () => {
    throw new Error('no state is asked for')
  })
  let at = 0
  return {
    ask<Name extends QuestionName>(name: Name, question: Questions[Name]['ask']) {
      if (name !== 'overview') {
        const { json, arrays } = none.answer(name, question)
        return Promise.resolve({ ...(json as object), ...arrays } as Questions[Name]['answer'])
      }
      const records = counts[at++]
      const isRead = records === counts.at(-1)
      const overview: Overview = {
        header,
        generation: 0,
        records,
        jobs: 0,
        spans: 0,
        seekable: records,
        seekableTime: records,
        first: 0,
        lastTime: records,
        status: isRead ? 'whole' : status,
        message: null,
        broken: null,
        outageRecords: 0,
        progress: records / counts.at(-1)!,
        canAsk: false,
        faults: [],
      }
      return Promise.resolve(overview as Questions[Name]['answer'])
    },
  }
}

it('a `RunClient` shows a log again after each growth by an eighth, updates the progress, and shows the whole log', async () => {
  const [{ records }] = fc.sample(runs, { seed: 1, numRuns: 1 })
  const counts = Array.from({ length: 500 }, (_, at) => 1000 * (at + 1))
  const client = new RunClient('a', growing(records[0] as Header, 'reading', counts))
  for (const [at, count] of counts.entries()) {
    await client.update()
    const shown = client.overview.value!
    expect(client.progress.value).toBe((at + 1) / 500)
    expect(shown.records).toBeGreaterThan(count / 1.125)
    // The last time of the run changes only together with the shown records.
    expect(shown.lastTime).toBe(shown.records)
  }
  expect(client.overview.value).toMatchObject({ status: 'whole', records: 500_000, seekable: 500_000 })
  // 1.125 to the power of 53 is about 500, so the client shows the log about 54 times, and not 500 times.
  expect(client.version.value).toBeLessThan(60)
})

it('a `RunClient` shows each new record at once while a run is being written', async () => {
  const [{ records }] = fc.sample(runs, { seed: 1, numRuns: 1 })
  const counts = [1000, 1001, 1002, 1002, 1003, 1004]
  const client = new RunClient('a', growing(records[0] as Header, 'written', counts))
  for (const count of counts) {
    await client.update()
    expect(client.overview.value!.records).toBe(count)
  }
  expect(client.version.value).toBe(5)
})

it('a `RunClient` has all jobs of a log after the log is read', async () => {
  await fc.assert(
    fc.asyncProperty(runs, async (log) => {
      const run = viewed(log)
      let isRead = false
      const client = new RunClient('a', {
        ask<Name extends QuestionName>(name: Name, question: Questions[Name]['ask']) {
          run.status = { ...run.status, status: isRead ? 'whole' : 'reading' }
          const { json, arrays } = run.answer(name, question)
          return Promise.resolve({ ...(json as object), ...arrays } as Questions[Name]['answer'])
        },
      })
      await client.update()
      const version = client.version.value
      isRead = true
      await client.update()
      expect(client.version.value).toBe(version + 1)
      expect(client.ids).toEqual(log.records.flatMap((each) => (each.type === 'submit' ? [each.job] : [])))
      expect(client.spans).toBe(log.records.filter(({ type }) => type === 'allocate').length)
    }),
    { numRuns: 20 },
  )
})

it('a `RunClient` gets the starts and ends of all jobs from growths of 1 to 5 spans, also if an earlier job still runs', async () => {
  await fc.assert(
    fc.asyncProperty(runs, fc.integer({ min: 1, max: 5 }), async ({ records }, limit) => {
      const table = new RunTable({ allocations: true })
      let at = 0
      const first = await growing(records[0] as Header, 'written', [1]).ask('overview', {})
      const client = new RunClient('a', {
        async ask<Name extends QuestionName>(name: Name, question: Questions[Name]['ask']) {
          if (name === 'growth') {
            const { jobs, spans } = question as Questions['growth']['ask']
            const { ranges, ...growth } = growthOf(table, jobs, spans, limit)
            const copied = Object.entries(growth).map(([field, each]) => [
              field,
              Array.isArray(each) ? [...each] : each,
            ])
            return { ...Object.fromEntries(copied), ranges: ranges.slice() } as Questions[Name]['answer']
          }
          const overview = {
            ...first,
            records: at,
            jobs: table.length,
            spans: table.allocations.length,
            status: 'written',
            outageRecords: 0,
          }
          return overview as Questions[Name]['answer']
        },
      })
      for (const record of records) {
        table.add(record)
        at++
        if (at % 7 !== 0 && at !== records.length) continue
        await client.update()
        const { length, of } = table.allocations
        const all = Array.from({ length }, (_, span) => [of.start[span] / 1000, of.released[span] / 1000])
        expect(
          Array.from({ length: client.spans }, (_, span) => [client.starts.at(span), client.ends.at(span)]),
        ).toEqual(all)
        expect(client.ids).toHaveLength(table.length)
      }
    }),
  )
})

/**
 * Log file whose content is replaced by a new log several times; `latest` is the number of the present log. Calls
 * `asked` before an answer.
 */
class ReplacedLog {
  latest = 0
  asked = (): void => {}
  readonly #logs: ReadonlyArray<ViewedRun>

  constructor(logs: ReadonlyArray<ViewedRun>) {
    this.#logs = logs
  }

  answerer(of?: number): Answerer {
    return {
      ask: async <Name extends QuestionName>(name: Name, question: Questions[Name]['ask']) => {
        await Promise.resolve()
        this.asked()
        if (name !== 'overview' && of !== this.latest) throw new Error('the log was replaced')
        const { json, arrays } = this.#logs[this.latest].answer(name, question)
        return { ...(json as object), ...arrays } as Questions[Name]['answer']
      },
      of: (generation) => this.answerer(generation),
    }
  }
}

it('a `RunClient` never shows parts of two runs when one log replaces another', async () => {
  await fc.assert(
    fc.asyncProperty(runs, runs, async (first, second) => {
      const place = new ReplacedLog([first, second].map((log, at) => viewed(log, at)))
      const client = new RunClient('a', place.answerer())
      const isOneRun = (): void => {
        const log = [first, second][client.overview.value?.generation ?? 0]
        if (client.overview.value === undefined) return
        expect(client.ids).toEqual(log.records.flatMap((each) => (each.type === 'submit' ? [each.job] : [])))
        expect(client.topology.nodes).toBe(headerTopology(log.records[0] as Header).nodes)
        for (let span = 0; span < client.spans; span++) expect(client.spanJobs.at(span)).toBeLessThan(client.ids.length)
        expect(client.moment.value?.nodeOwners.length ?? client.topology.nodes).toBe(client.topology.nodes)
      }
      place.asked = isOneRun
      await client.update()
      await client.look({ seq: 1 })
      expect(client.moment.value?.seq).toBe(1)
      const late = client.look({ seq: 2 })
      place.latest = 1
      await client.update()
      await late
      isOneRun()
      expect(client.overview.value?.generation).toBe(1)
      expect(client.moment.value).toBe(undefined)
      await client.look({ seq: 1 })
      expect(client.moment.value?.seq).toBe(1)
      isOneRun()
    }),
    { numRuns: 20 },
  )
})

it('regression: the answer about a selected job does not wait for the state at the cursor', async () => {
  const [{ records }] = fc.sample(runs, { seed: 1, numRuns: 1 })
  const asked: Array<QuestionName> = []
  const { promise: isLookedUp, resolve: lookUp } = Promise.withResolvers<null>()
  const log = growing(records[0] as Header, 'whole', [1000])
  const client = new RunClient('a', {
    ask<Name extends QuestionName>(name: Name, question: Questions[Name]['ask']) {
      asked.push(name)
      if (name === 'job') return isLookedUp
      return name === 'moment' ? Promise.reject(new Error('no state')) : log.ask(name, question)
    },
  })
  await client.update()
  asked.length = 0
  const looking = client.look({ t: 5 })
  client.lookUp('7')
  await Promise.resolve()
  expect(asked).toEqual(['job'])
  lookUp(null)
  await looking
  expect(asked).toEqual(['job', 'moment'])
  expect(client.lookedUp.value).toEqual({ job: '7', life: null })
})
