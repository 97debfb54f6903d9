import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeOutcome, LogWriter, readLog } from '../src/index.ts'
import { createLogFile, LogFileError, openLogFile, readLogFile, sha256 } from '../src/node/index.ts'
import { decompressFrames } from '../src/node/frame-decompressor.ts'
import { drain, read, type Reading } from './reading.ts'
import { type Call, concat, sampleHeader, topologies, writeLog } from './sample-logs.ts'

const calls: ReadonlyArray<Call> = [
  ...[...Array(30).keys()].map(
    (i): Call =>
      (to) =>
        to.record({ type: 'submit', t: i, job: `job ${i}`, size: 1, estimate: 1000 * i }),
  ),
  (to) =>
    to.record({ type: 'end', t: 30, submitted: 30, started: 0, finished: 0, rejected: 0, killed: 0, cancelled: 0 }),
]
const plain = writeLog(sampleHeader(), topologies[0], calls)
const { records } = read(plain)

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cloister-eventlog-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function written(name: string, options?: { zstd?: boolean; force?: boolean }): { path: string; frames: Uint8Array[] } {
  const path = join(folder, name)
  const file = createLogFile(path, options)
  const frames: Uint8Array[] = []
  let size = 0
  const writer = new LogWriter(
    sampleHeader(),
    topologies[0],
    (chunk) => {
      file.write(chunk)
      frames.push(readFileSync(path).subarray(size))
      size += frames.at(-1)!.length
    },
    sha256,
  )
  for (const call of calls) call(writer)
  file.close()
  return { path, frames }
}

function readBytes(name: string, bytes: Uint8Array): Reading {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return drain(readLogFile(path))
}

describe('log files', () => {
  it('createLogFile writes the bytes of the log, plain or compressed', () => {
    expect(new Uint8Array(readFileSync(written('plain.ndjson').path))).toEqual(plain)
    const { path, frames } = written('packed.ndjson.zst')
    expect(frames.length).toBe(5)
    // Bit 2 of a frame's descriptor (RFC 8878) says that a checksum ends the frame.
    for (const frame of frames) expect(frame[4] & 4).toBe(4)
    expect(concat([...openLogFile(path)])).toEqual(plain)
    expect(readFileSync(path)).toEqual(readFileSync(written('again.ndjson.zst').path))
    expect(readFileSync(path)).toEqual(readFileSync(written('packed.log', { zstd: true }).path))
    for (const name of ['plain.ndjson', 'packed.ndjson.zst', 'packed.log']) {
      expect(drain(readLogFile(join(folder, name)))).toEqual({
        records,
        outcome: { status: 'whole', records: 37, sealed: 37, bytes: plain.length },
      })
    }
  })

  it('readLogFile reads a log that another program compressed, in one frame or between frames without content', () => {
    expect(readBytes('one.zst', zstdCompressSync(plain)).outcome.status).toBe('whole')
    const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3])
    expect(readBytes('more.zst', concat([zstdCompressSync(plain), skippable])).outcome.status).toBe('whole')
    // The file has many chunks, and its last frame is complete only at its end.
    const noise = Buffer.from(JSON.stringify(Array.from({ length: 200_000 }, (_, i) => (i * 2654435761) % 2 ** 32)))
    expect(noise.length).toBeGreaterThan(2 ** 21)
    const path = join(folder, 'large.zst')
    writeFileSync(path, concat([zstdCompressSync(noise), zstdCompressSync(plain)]))
    expect(concat([...openLogFile(path)])).toEqual(concat([noise, plain]))
  })

  it('readLogFile accepts the whole frames of a compressed log that is cut', () => {
    const { path, frames } = written('cut.ndjson.zst')
    const bytes = readFileSync(path)
    const ends = frames.map((_, i) => concat(frames.slice(0, i + 1)).length)
    const nearEnds = ends
      .flatMap((end) => [end - 5, end - 4, end - 1, end, end + 1, end + 4])
      .filter((length) => length < bytes.length)
    const everywhere = [...Array(Math.ceil(bytes.length / 7)).keys()].map((i) => 7 * i)
    for (const length of [...everywhere, ...nearEnds]) {
      const { records: found, outcome } = drain(readLog(decompressFrames([bytes.subarray(0, length)]), sha256))
      const whole: number = ends.filter((end) => end <= length).length
      expect(outcome.status).toBe(ends.includes(length) ? 'unsealed' : 'torn')
      expect(found).toEqual(records.slice(0, [0, 9, 17, 25, 33][whole]))
      expect(outcome.sealed).toBe(found.length)
    }
  })

  it('readLogFile never reads a compressed log with a changed bit as another log', () => {
    const { path, frames } = written('flip.ndjson.zst')
    const bytes = readFileSync(path)
    const last = bytes.length - frames.at(-1)!.length
    const everywhere = [...Array(Math.ceil((8 * bytes.length) / 19)).keys()].map((i) => 19 * i)
    const frameHeaders = frames.flatMap((_, i) =>
      [...Array(8 * 12).keys()].map((bit) => 8 * concat(frames.slice(0, i)).length + bit),
    )
    for (const bit of [...everywhere, ...frameHeaders]) {
      const changed = Uint8Array.from(bytes)
      changed[bit >> 3] ^= 1 << (bit & 7)
      const { records: found, outcome } = drain(readLog(decompressFrames([changed]), sha256))
      expect(found).toEqual(records.slice(0, outcome.records))
      // Only the last frame can seem to be cut off. The decoder ignores a few bits.
      expect(bit >> 3 < last ? ['corrupt', 'whole'] : ['corrupt', 'whole', 'torn']).toContain(outcome.status)
    }
  })

  it('readLogFile distinguishes a damaged frame from a frame that is cut off', () => {
    const { path, frames } = written('damaged.ndjson.zst')
    const bytes = Uint8Array.from(readFileSync(path))
    const second = frames[0].length
    const changed = (at: number, byte: number) => {
      const copy = bytes.slice()
      copy[at] = byte
      return readBytes('changed.ndjson.zst', copy)
    }
    const sealed = {
      records: records.slice(0, 9),
      outcome: { status: 'corrupt', records: 9, sealed: 9, offset: lineStart(9), line: 10 },
    }
    expect(changed(second, 0)).toMatchObject(sealed)
    expect(describeOutcome(changed(second + 20, bytes[second + 20] ^ 1).outcome)).toContain(
      `the compressed frame at byte ${second} of the file is damaged`,
    )
    expect(describeOutcome(readBytes('tail.zst', concat([bytes, Buffer.from('x')])).outcome)).toContain(
      `the compressed frame at byte ${bytes.length} of the file is damaged`,
    )
    expect(readBytes('tail.zst', concat([bytes, bytes.subarray(0, 20)])).outcome).toMatchObject({
      status: 'corrupt',
      line: 38,
      reason: 'something follows the final seal',
    })
    const bomb = zstdCompressSync(Buffer.alloc(2 ** 20), { params: { [constants.ZSTD_c_checksumFlag]: 1 } })
    expect(readBytes('bomb.zst', bomb).outcome).toMatchObject({ status: 'corrupt', line: 1 })
  })

  it('createLogFile overwrites an existing file only with the option force', () => {
    const { path } = written('kept.ndjson')
    expect(() => createLogFile(path)).toThrow(`cannot write ${path}: the file exists`)
    expect(readFileSync(path).length).toBe(plain.length)
    createLogFile(path, { force: true }).close()
    expect(readFileSync(path).length).toBe(0)
    expect(drain(readLogFile(path)).outcome.status).toBe('torn')
  })

  it('readLogFile and createLogFile give the reason if a path cannot be read or written', () => {
    const missing = join(folder, 'none', 'run.ndjson')
    const code = (operation: () => unknown) => {
      try {
        operation()
      } catch (error) {
        if (error instanceof LogFileError)
          return `${error.code}: ${error.message.slice(0, error.message.indexOf(folder) + 1)}…${error.message.slice(error.message.lastIndexOf(':'))}`
        throw error
      }
      return 'nothing'
    }
    expect(code(() => createLogFile(missing))).toBe('ENOENT: cannot write /…: its folder does not exist')
    expect(code(() => drain(readLogFile(missing)))).toBe('ENOENT: cannot read /…: there is no such file')
    mkdirSync(join(folder, 'folder'))
    expect(code(() => createLogFile(join(folder, 'folder'), { force: true }))).toBe(
      'EISDIR: cannot write /…: it is a folder',
    )
    expect(code(() => drain(readLogFile(join(folder, 'folder'))))).toBe('EISDIR: cannot read /…: it is a folder')
    written('file')
    expect(code(() => createLogFile(join(folder, 'file', 'run.ndjson')))).toBe(
      'ENOTDIR: cannot write /…: a part of its path is a file, not a folder',
    )
  })

  it.runIf(existsSync('/dev/full'))('a log on a full disk ends with the code of the fault and its meaning', () => {
    expect(() => createLogFile('/dev/full', { force: true }).write(plain)).toThrow(
      'cannot write /dev/full: the disk is full',
    )
  })
})

function lineStart(seq: number): number {
  return Buffer.from(plain).toString().split('\n').slice(0, seq).join('\n').length + 1
}
