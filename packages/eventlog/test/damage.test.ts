import { describe, expect, it } from 'vitest'
import { encodeRecord, type Header, type LogRecord, LogState, readLog } from '../src/index.ts'
import { sha256 } from '../src/node/index.ts'
import { decompressFrames } from '../src/node/frame-decompressor.ts'
import { compressFrame } from '../src/node/zstd-frame.ts'
import { drain, type Reading } from './reading.ts'
import { concat } from './sample-logs.ts'
import { tinyLog } from './tiny-log.ts'

const plain = tinyLog()
const lines = Buffer.from(plain)
  .toString()
  .split(/(?<=\n)/)
const segments = [lines.slice(0, 5), lines.slice(5, 9), lines.slice(9, 13), lines.slice(13)].map((each) =>
  Buffer.from(each.join('')),
)
const frames = segments.map(compressFrame)
const compressed = concat(frames)
const good = readPlain(plain)

function readPlain(bytes: Uint8Array): Reading {
  return drain(readLog([bytes], sha256))
}

function readCompressed(bytes: Uint8Array): Reading {
  return drain(readLog(decompressFrames([bytes]), sha256))
}

/** State after the first n records of the undamaged log, at the index n. */
const states = good.records.map((_, i) => stateAfter(good.records.slice(0, i + 1)))

function stateAfter(records: ReadonlyArray<LogRecord>): unknown {
  const state = new LogState(records[0] as Header)
  for (const record of records.slice(1)) state.apply(record)
  const { header, seq, t, waiting, running, reservations, freeNodes, downNodes, downLinks } = state
  return {
    header,
    seq,
    t,
    waiting: [...waiting],
    running: [...running.keys()],
    reservations: [...reservations],
    free: [...freeNodes],
    down: [downNodes, ...downLinks].map((ids) => [...ids]),
  }
}

function expectPrefix({ records, outcome }: Reading): void {
  expect(records.length).toBe(outcome.records)
  if (records.length > 0) expect(stateAfter(records)).toEqual(states[records.length - 1])
  if (outcome.status === 'corrupt') expect(outcome.sealed).toBe(outcome.records)
}

function flip(bytes: Uint8Array, bit: number): Uint8Array {
  const changed = bytes.slice()
  changed[bit >> 3] ^= 1 << (bit & 7)
  return changed
}

describe.each([
  { form: 'plain', whole: plain, read: readPlain, last: plain.length - 1 },
  { form: 'compressed', whole: compressed, read: readCompressed, last: compressed.length - frames.at(-1)!.length },
])('a $form log', ({ form, whole, read, last }) => {
  it('a log cut at any byte gives the state after some first records, and is not read as whole', () => {
    for (let length = 0; length < whole.length; length++) {
      const reading = read(whole.subarray(0, length))
      expectPrefix(reading)
      expect(['torn', 'unsealed']).toContain(reading.outcome.status)
    }
  })

  it('a log with any changed bit gives the state after some first records, and an outcome unlike the outcome of a cut log', () => {
    const seen = new Set<string>()
    const encoded = good.records.map(encodeRecord)
    for (let bit = 0; bit < 8 * whole.length; bit++) {
      const reading = read(flip(whole, bit))
      // Equal records give equal states; folding all records ten thousand times would take long.
      if (!reading.records.every((record, i) => encodeRecord(record) === encoded[i])) expectPrefix(reading)
      const { status } = reading.outcome
      seen.add(status)
      // The decoder ignores some bits of a frame; the log is then unchanged.
      if (status === 'whole')
        expect({ form, records: reading.records.length }).toEqual({ form: 'compressed', records: good.records.length })
      else if (bit >> 3 < last) expect(status).toBe('corrupt')
    }
    expect(seen.has('corrupt')).toBe(true)
  })
})
