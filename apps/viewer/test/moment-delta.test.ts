import { type Header, LogIndexBuilder, LogSeeker } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { MomentSender, pack, type Packed, received, unpack } from '../src/run/messages.ts'
import { ViewedRun } from '../src/run/viewed-run.ts'
import { type RunLog, runs } from './runs.ts'

/** Page of the viewer, reduced to the last moment that the page received from the server. */
class Page {
  #has: Packed | undefined

  look(run: ViewedRun, seq: number): { readonly json: unknown; readonly arrays: unknown; readonly isDelta: boolean } {
    const since = (this.#has?.json as { readonly state: string } | undefined)?.state ?? ''
    const came = unpack(pack(run.answer('moment', { seq, since })).buffer)
    this.#has = received(this.#has, came)
    const { state: _, ...json } = this.#has.json as Record<string, unknown>
    return { json, arrays: this.#has.arrays, isDelta: (came.json as Record<string, unknown>)['isDelta'] === true }
  }
}

/** Returns the whole moment after a record, as the run sends it to a page that stores no moment. */
function whole(run: ViewedRun, seq: number): Packed {
  const { json, arrays } = run.answer('moment', { seq })
  return { json: JSON.parse(JSON.stringify(json)), arrays }
}

/** Returns a run of a log with an index. Every state of the run is known before its records are read. */
function unread({ bytes, records }: RunLog): ViewedRun {
  const builder = new LogIndexBuilder()
  for (const record of records) builder.add(record)
  const outcome = { status: 'whole', records: records.length, sealed: records.length, bytes: bytes.length } as const
  const seeker = new LogSeeker(builder.index(outcome), (from, to) => bytes.subarray(from, to), sha256)
  return new ViewedRun(records[0] as Header, () => seeker)
}

it('`received` restores moments from differences, asked in any order by several pages, while a log is read', () => {
  const steps = fc.array(fc.record({ page: fc.nat(5), seq: fc.nat(), read: fc.nat(40) }), { maxLength: 40 })
  fc.assert(
    fc.property(runs, steps, (log, all) => {
      const run = unread(log)
      const pages = Array.from({ length: 6 }, () => new Page())
      let read = 0
      for (const { page, seq, read: more } of all) {
        for (const record of log.records.slice(read, (read += more))) run.add(record)
        const at = seq % log.records.length
        const { json, arrays } = pages[page].look(run, at)
        expect({ json, arrays }).toEqual(whole(run, at))
      }
    }),
    { numRuns: 40 },
  )
})

it('`MomentSender` sends differences to a page whose last moment it stores, and the whole moment to other pages', () => {
  const [log] = fc.sample(runs, { numRuns: 1, seed: 7 })
  const page = new Page()
  const run = unread(log)
  expect([10, 11].map((seq) => page.look(run, seq).isDelta)).toEqual([false, true])
  // The run of a log that replaces another log does not know the names of the other log's moments.
  const replaced = unread(log)
  expect(new Page().look(replaced, 10).isDelta).toBe(false)
  expect(page.look(replaced, 11).isDelta).toBe(false)
})

it('`MomentSender` of a restarted server sends whole moments to a page whose last moment came from the ended server', () => {
  const [log] = fc.sample(runs, { numRuns: 1, seed: 7 })
  const page = new Page()
  page.look(unread(log), 10)
  const again = unread(log)
  expect(new Page().look(again, 12).isDelta).toBe(false)
  const { json, arrays, isDelta } = page.look(again, 11)
  expect(isDelta).toBe(false)
  expect({ json, arrays }).toEqual(whole(again, 11))
})

it('`MomentSender` sends an entry of the queue again if the entry gets a new field', () => {
  const sender = new MomentSender()
  const moment = (entry: object): Packed => ({ json: { running: [], reservations: [], queue: [entry] }, arrays: {} })
  const first = received(undefined, sender.send(moment({ job: '1' }), ''))
  const { state } = first.json as { readonly state: string }
  const second = received(first, sender.send(moment({ job: '1', user: 'alice' }), state))
  expect(second.json).toMatchObject({ queue: [{ job: '1', user: 'alice' }] })
})
