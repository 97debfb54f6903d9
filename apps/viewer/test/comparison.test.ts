import { compareLogs, type LogRecord } from '@cloister/eventlog'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareRuns, decisionOf } from '../src/page/state/comparison.ts'
import { RunClient } from '../src/page/state/run-client.ts'
import { pack, unpack } from '../src/run/messages.ts'
import type { Answerer, QuestionName, Questions } from '../src/run/questions.ts'
import { type RunLog, runs, viewed } from './runs.ts'

/**
 * Returns a `RunClient` with all records of a run. Answers pass through `pack` and `unpack`, like answers of the
 * server.
 */
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

const decided = (first: object | undefined): unknown => first && { isBackfilled: expect.any(Boolean), ...first }

/** Returns the first start of every job, with the nodes and the end of this start. */
function firstRuns(
  records: ReadonlyArray<LogRecord>,
): Map<string, { readonly start: number; readonly nodes: string; readonly end: number | undefined }> {
  const found = new Map<string, { readonly start: number; readonly nodes: string; readonly end: number | undefined }>()
  for (const record of records) {
    if (record.type !== 'allocate' || found.has(record.job)) continue
    const release = records.find((each) => each.type === 'release' && each.job === record.job && each.seq > record.seq)
    found.set(record.job, {
      start: record.t,
      nodes: record.nodes,
      end: release === undefined || release.type === 'header' ? undefined : release.t,
    })
  }
  return found
}

it('`compareRuns` finds the same differences between two runs as a comparison record by record', async () => {
  await fc.assert(
    fc.asyncProperty(runs, runs, async (one, other) => {
      const [clientA, clientB] = [await clientOf('a', one), await clientOf('b', other)]
      const found = compareRuns(clientA, clientB)
      const [firstA, firstB] = [firstRuns(one.records), firstRuns(other.records)]
      for (const job of clientA.ids) expect(decisionOf(clientA, job)).toEqual(decided(firstA.get(job)))
      for (const job of clientA.ids) expect(decisionOf(clientB, job)).toEqual(decided(firstB.get(job)))
      const jobs = one.records.flatMap((record) =>
        record.type === 'submit' && other.records.some((each) => each.type === 'submit' && each.job === record.job)
          ? [record.job]
          : [],
      )
      expect(found.jobs.map(({ job }) => job)).toEqual(jobs)
      const expected = jobs.flatMap((job) => {
        const [a, b] = [firstA.get(job), firstB.get(job)]
        if (a === undefined && b === undefined) return []
        if (a === undefined || b === undefined) return [{ t: (a ?? b)!.start, job }]
        if (a.start !== b.start || a.nodes !== b.nodes) return [{ t: Math.min(a.start, b.start), job }]
        return a.end === b.end ? [] : [{ t: Math.min(a.end!, b.end!), job }]
      })
      expect(found.divergences).toEqual(expected.toSorted((a, b) => a.t - b.t))
      expect(found.sooner + found.same + found.later).toBe(
        jobs.filter((job) => firstA.has(job) && firstB.has(job)).length,
      )
      if (![...one.records, ...other.records].some(({ type }) => type === 'requeue')) {
        const { jobs: counts } = compareLogs(one.records, other.records)
        expect({ sooner: found.sooner, same: found.same, later: found.later }).toEqual({
          sooner: counts.sooner,
          same: counts.same,
          later: counts.later,
        })
      }
    }),
    { numRuns: 60 },
  )
})

it('`spanAt` finds the span of the job that holds a node at a time', async () => {
  await fc.assert(
    fc.asyncProperty(runs, fc.nat(40), fc.nat(15), async (log, t, node) => {
      const client = await clientOf('a', log)
      const span = client.spanAt(t + 0.5, node)
      const holder = log.records.findLast(
        (record) =>
          record.type === 'allocate' &&
          record.t <= t + 0.5 &&
          holds(record.nodes, node) &&
          !log.records.some(
            (each) => each.type === 'release' && each.job === record.job && each.seq > record.seq && each.t <= t + 0.5,
          ),
      )
      expect(client.ids[client.spanJobs.at(span)]).toBe(holder?.type === 'allocate' ? holder.job : undefined)
    }),
    { numRuns: 100 },
  )
})

function holds(idset: string, node: number): boolean {
  return idset.split(',').some((range) => {
    const [first, last = first] = range.split('-').map(Number)
    return first <= node && node <= last
  })
}
