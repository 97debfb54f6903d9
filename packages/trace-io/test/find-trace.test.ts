import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findTrace, loadWorkload, readTraceFile, traceText } from '../src/node/index.ts'
import { SpecError } from '@cloister/workload'
import { type PublicLog, TraceError, TraceNotFoundError } from '../src/index.ts'
import { sha256 } from '../src/node/trace-file.ts'

const swf = Buffer.from(
  '; Version: 2.2\n1 0 -1 5 8 -1 -1 8 10 -1 1 -1 -1 -1 -1 -1 -1 -1\n2 3 -1 5 -1 -1 -1 6 -1 -1 5 -1 -1 -1 -1 -1 -1 -1\n',
)
const gz = gzipSync(swf)
const log: PublicLog = {
  preset: 'toy',
  machine: 'a toy',
  file: 'Toy-1.swf.gz',
  bytes: gz.length,
  sha256: sha256(gz),
  swfBytes: swf.length,
  swfSha256: sha256(swf),
  page: 'https://toys.example/toy',
  copy: 'https://copies.example/toy',
  acknowledgement: 'Thanks.',
  records: 2,
  filter: '',
  arrivals: 'trace',
  jobs: 2,
}

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'find-trace-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function put(name: string, bytes: Uint8Array): string {
  const path = join(folder, name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, bytes)
  return path
}

function notFound(folders: ReadonlyArray<string>): TraceNotFoundError {
  try {
    findTrace(log, folders)
  } catch (error) {
    if (error instanceof TraceNotFoundError) return error
    throw error
  }
  throw new Error('found')
}

test.each([
  ['by name', 'Toy-1.swf.gz', gz],
  ['two folders down', 'a/b/Toy-1.swf.gz', gz],
  ['by length, renamed', 'x/whatever.bin', gz],
  ['decompressed', 'Toy-1.swf', swf],
  ['decompressed and renamed', 'toy.txt', swf],
  ['compressed again', 'Toy-1.swf.gz', gzipSync(swf, { level: 1, memLevel: 1 })],
  ['compressed with zstd', 'Toy-1.swf.zst', zstdCompressSync(swf)],
])('findTrace finds a public log %s', (_, name, bytes) => {
  put('Toy-2.swf.gz', gzipSync(Buffer.from('other')))
  const path = put(name, bytes)
  const file = findTrace(log, [join(folder, 'none'), folder])
  expect(file).toMatchObject({ path, sha256: sha256(bytes) })
  expect(Buffer.from(traceText(file)).equals(swf)).toBe(true)
})

test('findTrace finds a log behind a symbolic link, and skips broken and circular links', () => {
  const elsewhere = put('elsewhere/deep/er/Toy-1.swf.gz', gz)
  mkdirSync(join(folder, 'logs'))
  symlinkSync(elsewhere, join(folder, 'logs/Toy-1.swf.gz'))
  symlinkSync(join(folder, 'none'), join(folder, 'logs/a-dangling'))
  symlinkSync(join(folder, 'logs'), join(folder, 'logs/b-circle'))
  expect(findTrace(log, [join(folder, 'logs')])).toMatchObject({ path: join(folder, 'logs/Toy-1.swf.gz') })
})

test("findTrace finds no log three levels down or by name or length alone, and the error gives the log's addresses", () => {
  put('a/b/c/Toy-1.swf.gz', gz)
  const other = put('Toy-1.swf.gz', Buffer.from('not the log'))
  const damaged = put('b/Toy-1.swf.gz', gz.subarray(0, 20))
  put('same-length', Buffer.alloc(gz.length))
  const error = notFound([folder])
  expect(error).toMatchObject({
    preset: 'toy',
    folders: [folder],
    otherFiles: [other, damaged],
    addresses: [log.page, log.copy],
  })
  for (const part of [
    log.file,
    folder,
    log.page,
    log.copy,
    log.sha256,
    `${other} has the name of the log and different contents`,
  ])
    expect(error.message).toContain(part)
  expect(notFound([]).message).toContain('no folder was given')
})

test('traceText decompresses a file by its contents, not by its name, also several gzip members or zstd frames', () => {
  const frames = Buffer.concat([
    zstdCompressSync(swf.subarray(0, 40)),
    zstdCompressSync(swf.subarray(40, 41)),
    zstdCompressSync(swf.subarray(41)),
  ])
  for (const bytes of [swf, gz, Buffer.concat([gzipSync(swf.subarray(0, 40)), gzipSync(swf.subarray(40))]), frames]) {
    expect(Buffer.from(traceText(readTraceFile(put('log.txt', bytes)))).equals(swf)).toBe(true)
  }
})

const skippable = (length: number, kind = 0): Uint8Array => {
  const frame = Buffer.alloc(8 + length, '7')
  frame.writeUInt32LE(0x184d2a50 + kind)
  frame.writeUInt32LE(length, 4)
  return frame
}

test.each([
  ['before', [skippable(4), zstdCompressSync(swf)]],
  ['of every kind before', [...Array.from({ length: 16 }, (_, kind) => skippable(kind, kind)), zstdCompressSync(swf)]],
  ['between', [zstdCompressSync(swf.subarray(0, 40)), skippable(0, 15), zstdCompressSync(swf.subarray(40))]],
  ['behind', [zstdCompressSync(swf), skippable(9)]],
])('traceText skips skippable zstd frames %s the frames with data', (_, frames) => {
  const path = put('log.zst', Buffer.concat(frames))
  expect(Buffer.from(traceText(readTraceFile(path))).equals(swf)).toBe(true)
})

test.each([
  ['a truncated skippable frame behind a frame with data', [zstdCompressSync(swf), skippable(9).subarray(0, 12)]],
  ['a truncated skippable frame at the beginning', [skippable(9).subarray(0, 12)]],
  ['bytes behind the last frame', [skippable(4), zstdCompressSync(swf), Buffer.from('1 0 -1')]],
])('traceText throws a TraceError for %s', (_, frames) => {
  const path = put('log.zst', Buffer.concat(frames))
  expect(() => traceText(readTraceFile(path))).toThrow(`${path}: found damaged compressed data`)
})

test.each([
  ['zstd', zstdCompressSync],
  ['gzip', gzipSync],
])('traceText refuses a small file of zeros, compressed by %s, at 64 MiB of contents', (_, compress) => {
  const path = put('zeros', compress(Buffer.alloc(2 ** 26 + 1)))
  expect(() => traceText(readTraceFile(path))).toThrow(`${path}: found more than 67108864 bytes`)
})

test.each([
  ['little-endian with a mark', Buffer.from('\ufeff; Note: x\n', 'utf16le')],
  ['big-endian with a mark', Buffer.from('\ufeff; Note: x\n', 'utf16le').swap16()],
  ['little-endian without a mark', Buffer.from('; Note: x\n', 'utf16le')],
  ['compressed', gzipSync(Buffer.from('; Note: x\n', 'utf16le'))],
])('traceText names UTF-16 as the encoding of a trace in UTF-16, %s', (_, bytes) => {
  const path = put('wide.swf', bytes)
  expect(() => traceText(readTraceFile(path))).toThrow(`${path}: found text in UTF-16, expected text in UTF-8 (iconv`)
})

const compressors = ['zstd', 'pzstd']
const missing = compressors.filter((program) => spawnSync(program, ['--version']).error !== undefined)
if (missing.length > 0)
  console.warn(
    `${missing.join(' and ')} not installed (Debian: zstd): tests of traces compressed by these programs are skipped`,
  )

test.for(['zstd -T0 --long', 'zstd --no-content-size', 'pzstd -p 1', 'pzstd -p 2'])(
  'traceText decompresses a trace that %s compressed',
  (command, { skip }) => {
    const [program, ...options] = command.split(' ')
    if (missing.includes(program)) skip(`${program} is not installed`)
    // The input is long enough for several frames of zstd.
    const long = Buffer.concat(Array<Uint8Array>(100_000).fill(swf))
    const made = join(folder, 'made.swf.zst')
    const { status, stderr } = spawnSync(program, [...options, '-q', put('long.swf', long), '-o', made], {
      encoding: 'utf8',
    })
    expect(status, stderr).toBe(0)
    expect(Buffer.from(traceText(readTraceFile(made))).equals(long)).toBe(true)
  },
)

test('readTraceFile and traceText throw a TraceError with the name of the file for damaged and missing files', () => {
  const broken = [
    put('short.gz', gz.subarray(0, 30)),
    put('short.zst', zstdCompressSync(swf).subarray(0, 20)),
    put('empty.swf', Buffer.alloc(0)),
    put('header.swf', Buffer.from('; Note: x\n')),
    folder,
  ]
  for (const path of broken) {
    expect(() => loadWorkload(path)).toThrow(TraceError)
    expect(() => loadWorkload(path)).toThrow(path)
  }
  expect(() => readTraceFile(join(folder, 'none'))).toThrow(TraceError)
})

test('loadWorkload loads a file with its filter, arrivals and SHA-256', () => {
  const path = put('Toy.swf.gz', gz)
  const loaded = loadWorkload(path, { filter: 'status!=5', procsPerNode: 3, arrivals: 'scale:0.5' })
  expect(loaded).toMatchObject({ arrivals: 'scale:0.5', read: 2, skipped: { 'status!=5': 1 }, roundedSizes: 1 })
  expect(loaded.workload).toMatchObject({
    name: 'Toy',
    sourceSha256: sha256(gz),
    filter: 'size=requested/3,status!=5',
    jobs: [{ id: '1', submit: 0, size: 3, runTime: 5000, walltime: 10_000 }],
  })
  expect(loadWorkload(path, { filter: 'size=allocated/2', procsPerNode: 4 }).workload.filter).toBe('size=allocated/4')
})

test('the option `filter` of loadWorkload also filters generated traces', () => {
  const { workload, skipped } = loadWorkload('synth:16:100', { filter: 'nodes>4,first-jobs=10' })
  expect(workload).toMatchObject({ name: 'synth:16:100', filter: 'nodes>4,first-jobs=10' })
  expect(workload.sourceSha256).toBeUndefined()
  expect(workload.jobs).toHaveLength(10)
  expect(Object.keys(skipped)).toEqual(['nodes>4', 'first-jobs=10'])
})

test('readTraceFile refuses a folder, and the error lists the forms of job logs', () => {
  expect(() => loadWorkload('.')).toThrow(
    ".: found no readable file (it is a folder), expected a job log in SWF, in Slurm's accounting as sacct prints it, in a list of communicating jobs, in jobspecs of Flux or Workloads of Kueue in JSON, or with --columns in a table in CSV or Parquet, as it is or compressed (.gz, .zst)",
  )
})

test('loadWorkload refuses a name that is no trace, and the error lists the presets', () => {
  expect(() => loadWorkload('thundr')).toThrow(SpecError)
  expect(() => loadWorkload('thundr')).toThrow(
    "an existing file, a preset (thunder, atlas, kth, hpc2n, sdsc-blue, cea-curie, theta) or 'synth:16'",
  )
  expect(() => loadWorkload('synth:many')).toThrow(SpecError)
  expect(() => loadWorkload('thunder')).toThrow(TraceNotFoundError)
  for (const procsPerNode of [0, 1.5, NaN]) expect(() => loadWorkload('synth:16', { procsPerNode })).toThrow(SpecError)
})
