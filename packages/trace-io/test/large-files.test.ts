import * as fc from 'fast-check'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { loadWorkloadFrom, parseSwf, type SwfTrace, TraceError } from '../src/index.ts'
import { loadWorkload } from '../src/node/index.ts'
import { isLarge, openLargeTrace } from '../src/node/large-file.ts'
import { ColumnBuilder } from '../src/swf/column-builder.ts'

const folder = mkdtempSync(join(tmpdir(), 'cloister-large-'))
afterAll(() => rmSync(folder, { recursive: true }))

const put = (name: string, bytes: Uint8Array): string => {
  writeFileSync(join(folder, name), bytes)
  return join(folder, name)
}

const line = (job: number): string =>
  `${job} ${3 * job} -1 ${60 + (job % 100)} 4 -1 -1 4 3600 -1 1 ${job % 7} 1 1 1 1 -1 -1`
const text = (jobs: number): string =>
  `; Version: 2.2\n${Array.from({ length: jobs }, (_, at) => line(at + 1)).join('\n')}\n`
const swf = Buffer.from(text(20_000))

const lines = fc.constantFrom(line(1), line(12), '', '; Note: x', `${line(3)} 5`, '1 2 3', `  ${line(4)}\t`, '\ufeff')
const texts = fc
  .array(fc.tuple(lines, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 12 })
  .chain((parts) => fc.tuple(fc.constant(parts.flat().join('')), lines))
  .map((parts) => Buffer.from(parts.join('')))

const outcome = (read: () => SwfTrace): unknown => {
  try {
    return read()
  } catch (error) {
    if (error instanceof TraceError) return error.message
    throw error
  }
}

test('parseSwf reads a file in pieces of any length as it reads the whole file', () => {
  fc.assert(
    fc.property(texts, fc.array(fc.nat({ max: 60 }), { minLength: 1 }), fc.boolean(), (bytes, steps, skipBadLines) => {
      const pieces: Array<Uint8Array> = []
      for (let at = 0, step = 0; at < bytes.length; at += steps[step++ % steps.length] + 1)
        pieces.push(bytes.subarray(at, at + steps[step % steps.length] + 1))
      const options = { file: 'a.swf', skipBadLines }
      expect(outcome(() => parseSwf(pieces, options))).toEqual(outcome(() => parseSwf(bytes, options)))
    }),
  )
})

test('parseSwf refuses a line of more than 2^20 bytes, whole or in pieces', () => {
  const long = Buffer.from(`${line(1)}\n;${'x'.repeat(2 ** 20)}`)
  const pieces = Array.from({ length: 20 }, (_, at) => long.subarray(at * 2 ** 16, (at + 1) * 2 ** 16))
  for (const given of [long, pieces])
    expect(() => parseSwf(given, { file: 'a.swf' })).toThrow(
      /^a\.swf, line 2: found (at least )?\d+ bytes, expected a line of at most/,
    )
})

test('parseSwf refuses comments of more than 2^22 bytes, which would fill the memory', () => {
  const piece = Buffer.from(';\n'.repeat(2 ** 15))
  expect(() => parseSwf(Array<Uint8Array>(129).fill(piece), { file: 'a.swf' })).toThrow(
    'a.swf, line 4194305: found more than 4194304 bytes of comment lines, expected a few lines',
  )
})

test('parseSwf refuses more jobs than the limit, which would fill the memory', () => {
  const text = `${line(1)}\n${line(2)}\n${line(3)}\n`
  expect(parseSwf(text, { file: 'a.swf', maxJobs: 3 }).jobs).toBe(3)
  expect(() => parseSwf(text, { file: 'a.swf', maxJobs: 2, skipBadLines: true })).toThrow(
    'a.swf, line 3: found more than 2 jobs, expected fewer jobs; cut the file into parts',
  )
})

test('ColumnBuilder gives the added numbers: 32-bit integers as long as all numbers fit', () => {
  const numbers = fc.array(fc.oneof(fc.constant(-1), fc.nat(), fc.constantFrom(0.5, 2 ** 31, 10 ** 12)), {
    maxLength: 3000,
  })
  fc.assert(
    fc.property(numbers, (values) => {
      const builder = new ColumnBuilder()
      for (const value of values) builder.push(value)
      const unknown = new Int32Array(values.length).fill(-1)
      const column = builder.column(unknown)
      expect([...column]).toEqual(values)
      expect(column instanceof Int32Array).toBe(values.every((value) => (value | 0) === value))
      expect(column === unknown).toBe(values.every((value) => value === -1))
    }),
  )
})

/** Skippable frame of zstd with one byte. */
const skippable = Buffer.from('502a4d180100000061', 'hex')
const parts = [swf.subarray(0, 90_000), swf.subarray(90_000, 90_001), swf.subarray(90_001)]
const forms: ReadonlyArray<readonly [string, Uint8Array]> = [
  ['plain', swf],
  ['gzip', gzipSync(swf)],
  ['gzip of several members', Buffer.concat(parts.map((part) => gzipSync(part)))],
  ['zstd', zstdCompressSync(swf)],
  ['zstd of several frames', Buffer.concat([skippable, ...parts.map((part) => zstdCompressSync(part)), skippable])],
]

test.each(forms)('a large file is read in pieces as the file is read whole: %s', (_, bytes) => {
  const path = put('log', bytes)
  const load = (): unknown => loadWorkloadFrom({ open: openLargeTrace, find: () => expect.unreachable() }, path)
  expect(load()).toEqual(loadWorkload(path))
  expect(load()).toMatchObject({ workload: { sourceSha256: createHash('sha256').update(bytes).digest('hex') } })
})

test.each([
  ['gzip without its end', gzipSync(swf).subarray(0, -20)],
  ['gzip with a wrong checksum', changed(gzipSync(swf), -6)],
  ['zstd without its end', zstdCompressSync(swf).subarray(0, -9)],
  [
    'zstd with a wrong checksum',
    changed(zstdCompressSync(swf, { params: { [constants.ZSTD_c_checksumFlag]: 1 } }), -1),
  ],
  ['bytes behind the last frame of zstd', Buffer.concat([zstdCompressSync(swf), swf.subarray(0, 50)])],
])('a large file is refused with its name: %s', (_, bytes) => {
  const path = put('log', bytes)
  const load = (): unknown => loadWorkloadFrom({ open: openLargeTrace, find: () => expect.unreachable() }, path)
  expect(load).toThrow(TraceError)
  expect(load).toThrow(`${path}: found damaged compressed data`)
})

test('an error in a large file has the line, and a large file in another form is read whole', () => {
  const files = { open: openLargeTrace, find: (): never => expect.unreachable() }
  const bad = put('bad.swf', Buffer.concat([swf, Buffer.from('20001 x\n')]))
  expect(() => loadWorkloadFrom(files, bad)).toThrow(`${bad}, line 20002, field submit: found "x"`)
  const rows = Array.from(
    { length: 9000 },
    (_, at) => `${at + 1}|2024-01-01T00:00:00|2024-01-01T00:01:00|2024-01-01T00:02:00|4|COMPLETED`,
  )
  const sacct = put('sacct.psv', Buffer.from(['JobID|Submit|Start|End|NNodes|State', ...rows, ''].join('\n')))
  expect(loadWorkloadFrom(files, sacct).workload).toEqual(loadWorkload(sacct).workload)
  expect([isLarge(sacct), isLarge(sacct, 2 ** 16), isLarge(folder, 0), isLarge(join(folder, 'none'))]).toEqual([
    false,
    true,
    false,
    false,
  ])
  expect(() => openLargeTrace(put('wide.swf', Buffer.from('; x\n', 'utf16le')))).toThrow('found text in UTF-16')
})

function changed(bytes: Buffer, at: number): Buffer {
  bytes[at < 0 ? bytes.length + at : at] ^= 1
  return bytes
}
