import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { describeOutcome, LogWriter } from '../src/index.ts'
import {
  createLogFile,
  indexPath,
  openLogFile,
  openSeekableLog,
  readLogFile,
  resumeLogFile,
  sha256,
} from '../src/node/index.ts'
import { drain, type Reading } from './reading.ts'
import { type Call, concat, sampleHeader, topologies, writeLog } from './sample-logs.ts'

const folder = mkdtempSync(join(tmpdir(), 'cloister-foreign-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function file(name: string, ...parts: ReadonlyArray<Uint8Array>): string {
  const path = join(folder, name)
  writeFileSync(path, concat(parts))
  return path
}

const submits = (jobs: number, name = ''): ReadonlyArray<Call> => [
  ...Array.from(
    { length: jobs },
    (_, at): Call =>
      (to) =>
        to.record({
          type: 'submit',
          t: at,
          job: `job ${at}`,
          size: 1 + (at % 7),
          estimate: 1000 * at,
          ...(name === '' ? {} : { name }),
        }),
  ),
  (to) =>
    to.record({ type: 'end', t: jobs, submitted: jobs, started: 0, finished: 0, rejected: 0, killed: 0, cancelled: 0 }),
]
const calls = submits(60)
const plain = writeLog(sampleHeader(), topologies[0], calls)
const { records } = drain(readLogFile(file('plain.ndjson', plain)))

/** Returns the compressed log of `createLogFile`: one zstd frame for each seal segment. */
function ownFrames(): Uint8Array {
  const path = join(folder, 'own.zst')
  const own = createLogFile(path, { force: true })
  const writer = new LogWriter(sampleHeader(), topologies[0], own.write, sha256)
  for (const call of calls) call(writer)
  own.close()
  return readFileSync(path)
}
const own = ownFrames()

const skippable = (length: number, kind = 0): Uint8Array => {
  const frame = Buffer.alloc(8 + length, 'x')
  frame.writeUInt32LE(0x184d2a50 + kind)
  frame.writeUInt32LE(length, 4)
  return frame
}

/** Continues the run of a log. */
function resume(path: string): void {
  const log = resumeLogFile(path)
  try {
    const writer = new LogWriter(sampleHeader(), topologies[0], log.write, sha256)
    for (const call of calls) call(writer)
  } finally {
    log.close()
  }
}

function readBytes(...parts: ReadonlyArray<Uint8Array>): Reading {
  return drain(readLogFile(file('read.zst', ...parts)))
}

describe('zstd frames without content in a log file', () => {
  it('readLogFile reads the frames after a zstd frame without content', () => {
    const { outcome } = readBytes(own, skippable(0), own)
    expect(describeOutcome(outcome)).toContain('something follows the final seal')
    expect(readBytes(own, skippable(5), Buffer.from('rest')).outcome).toMatchObject({ status: 'corrupt' })
    expect(describeOutcome(readBytes(own, skippable(5), Buffer.from('rest')).outcome)).toContain(
      `the compressed frame at byte ${own.length + 13} of the file is damaged: no zstd frame begins there`,
    )
    expect(readBytes(own, skippable(5)).outcome.status).toBe('whole')
    expect(readBytes(skippable(4, 15), own).records).toEqual(records)
  })

  it('resumeLogFile writes no record twice behind zstd frames without content', () => {
    const half = zstdCompressSync(plain.subarray(0, 3000))
    const path = file('skipped.zst', skippable(12), half, skippable(3), skippable(0, 7))
    for (let times = 0; times < 2; times++) {
      resume(path)
      expect(concat([...openLogFile(path)])).toEqual(plain)
    }
  })

  it('a compressed log is recognised by its first bytes if its name does not end in .zst', () => {
    expect(drain(readLogFile(file('pzstd.log', skippable(4), own))).outcome.status).toBe('whole')
  })
})

/** Choices that zstd encoders make: level, checksum, content size, and so on. */
const anyEncoder = fc
  .record({
    level: fc.constantFrom(-3, 1, 3, 9, 19),
    checksum: fc.boolean(),
    contentSize: fc.boolean(),
    windowLog: fc.constantFrom(0, 10, 17, 24),
  })
  .map(
    ({ level, checksum, contentSize, windowLog }) =>
      (bytes: Uint8Array): Uint8Array =>
        zstdCompressSync(bytes, {
          params: {
            [constants.ZSTD_c_compressionLevel]: level,
            [constants.ZSTD_c_checksumFlag]: checksum ? 1 : 0,
            [constants.ZSTD_c_contentSizeFlag]: contentSize ? 1 : 0,
            [constants.ZSTD_c_windowLog]: windowLog,
          },
          ...(contentSize ? { pledgedSrcSize: bytes.length } : {}),
        }),
  )
const anyPart = fc.oneof(
  { weight: 4, arbitrary: fc.record({ share: fc.integer({ min: 0, max: 60 }), encode: anyEncoder }) },
  { weight: 1, arbitrary: fc.record({ skipped: fc.nat(20), kind: fc.nat(15) }) },
)

/** Bytes of the log `plain` in zstd frames that are cut and compressed in any way. */
const anyForeign = fc.tuple(fc.array(anyPart, { maxLength: 8 }), anyEncoder).map(([parts, encode]) => {
  const frames: Uint8Array[] = []
  let at = 0
  for (const part of parts) {
    if ('skipped' in part) frames.push(skippable(part.skipped, part.kind))
    else {
      const end = Math.min(plain.length, at + Math.ceil((plain.length * part.share) / 100))
      frames.push(part.encode(plain.subarray(at, end)))
      at = end
    }
  }
  return concat([...frames, encode(plain.subarray(at))])
})

describe('a log in zstd frames of any encoder', () => {
  it('a log in zstd frames of another program is read, searched and continued like a log in frames of Cloister', () => {
    fc.assert(
      fc.property(anyForeign, fc.double({ min: 0, max: 1, noNaN: true }), (bytes, share) => {
        const reading = readBytes(bytes)
        expect(reading.outcome).toMatchObject({ status: 'whole', records: records.length })
        expect(reading.records).toEqual(records)

        const path = file('sought.zst', bytes)
        for (const indexed of ['made', 'found']) {
          const log = openSeekableLog(path, { keepIndex: true })
          expect(log.indexed).toBe(indexed)
          for (const seq of [60, 3, 33, records.length - 1])
            expect([...log.records(seq, seq + 1)]).toEqual([records[seq]])
          log.close()
        }
        rmSync(indexPath(path))

        const cut = file('cut.zst', bytes.subarray(0, Math.floor(share * bytes.length)))
        const before = drain(readLogFile(cut))
        expect(before.records).toEqual(records.slice(0, before.records.length))
        if (before.outcome.status === 'corrupt') return
        resume(cut)
        expect(concat([...openLogFile(cut)])).toEqual(plain)
      }),
      { numRuns: 30 },
    )
  })

  it('a log in zstd frames of another program gives no wrong record if any bit is changed', () => {
    fc.assert(
      fc.property(
        anyForeign,
        fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })),
        (bytes, places) => {
          for (const place of places) {
            const changed = bytes.slice()
            const bit = Math.floor(place * 8 * bytes.length)
            changed[bit >> 3] ^= 1 << (bit & 7)
            const { records: found, outcome } = readBytes(changed)
            // Records without a seal are reported as unsealed.
            expect(found.slice(0, outcome.sealed)).toEqual(records.slice(0, outcome.sealed))
            if (outcome.status === 'corrupt' || outcome.status === 'whole') expect(outcome.records).toBe(outcome.sealed)
          }
        },
      ),
      { numRuns: 20 },
    )
  })
})

describe('a zstd frame with more content than one seal may cover', () => {
  /** Log of 80 MB with few records. */
  const large = writeLog(sampleHeader({ seal_every: 4 }), topologies[0], submits(80, 'n'.repeat(2 ** 20)))
  file('large.ndjson', large)

  it('a zstd frame of 80 MB is read piece by piece', () => {
    expect(large.length).toBeGreaterThan(2 ** 26)
    const packed = file('large.zst', zstdCompressSync(large))
    const log = openSeekableLog(packed)
    expect(log.outcome).toMatchObject({ status: 'whole', bytes: large.length })
    for (const seq of [80, 5, 6])
      expect([...log.records(seq, seq + 1)]).toMatchObject([{ seq, type: seq % 4 === 0 ? 'seal' : 'submit' }])
    log.close()
  })

  it('readLog refuses a large zstd frame with too many bytes since the last seal, and reads all records before the cut of a large zstd frame', () => {
    const header = plain.subarray(0, plain.indexOf(10) + 1)
    const endless = zstdCompressSync(concat([header, new Uint8Array(2 ** 27).fill(0x20)]))
    expect(describeOutcome(readBytes(endless).outcome)).toContain('more than 67108864 bytes since the last seal')
    const compressed = zstdCompressSync(large)
    const { outcome } = readBytes(compressed.subarray(0, compressed.length / 2))
    expect(outcome.status).toBe('torn')
    expect(outcome.sealed).toBeGreaterThan(20)
  })

  it('resumeLogFile does not continue a log within a zstd frame', () => {
    const cut = zstdCompressSync(concat([plain, new Uint8Array(0)]), {
      params: { [constants.ZSTD_c_contentSizeFlag]: 0 },
    })
    const log = file('part.zst', cut.subarray(0, -6))
    resume(log)
    expect(concat([...openLogFile(log)])).toEqual(plain)
  })

  it('a zstd frame with a too large window is refused with a message that names a remedy', () => {
    const wide = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (31 - 10) << 3, 1, 0, 0])
    expect(describeOutcome(readBytes(wide).outcome)).toContain(
      'its decoder has to remember 2147483648 bytes, at most 134217728 are allowed; decompress the file with zstd -d --long=31 first',
    )
  })

  const missing = ['zstd', 'pzstd'].filter((program) => spawnSync(program, ['--version']).error !== undefined)
  if (missing.length > 0)
    console.warn(`${missing.join(' and ')} not installed (Debian: zstd): logs that they compressed are not read here`)

  it.for(['zstd -1', 'zstd -12 --no-check', 'zstd -T0 --long', 'zstd --no-content-size -B1MiB -T2', 'pzstd -p 2'])(
    'readLogFile reads a log that the command `%s` compressed',
    (command, { skip }) => {
      const [program, ...options] = command.split(' ')
      if (missing.includes(program)) skip(`${program} is not installed`)
      for (const [name, bytes] of [
        ['plain.ndjson', plain],
        ['large.ndjson', large],
      ] as const) {
        const made = join(folder, `${name}.${program}.zst`)
        const { status, stderr } = spawnSync(program, [...options, '-f', join(folder, name), '-o', made], {
          encoding: 'utf8',
        })
        expect(status, stderr).toBe(0)
        expect(Buffer.concat([...openLogFile(made)]).equals(bytes)).toBe(true)
      }
    },
  )
})
