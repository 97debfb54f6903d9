import { isStream } from './writer-lock.ts'
import { ByteSource } from './byte-source.ts'
import { fileChunks, isCompressed, type LogFile, openOutput, type Sync } from './log-file.ts'
import type { OutputFile } from './output-file.ts'
import { differenceBetween } from '../log/record-difference.ts'
import { describeOutcome, type LogOutcome, readLog } from '../log/reader.ts'
import { sha256 } from './sha256.ts'
import { compressFrame } from './zstd.ts'

/** Log file of a run that was cut off, during the continuation. */
export interface ResumedLogFile extends LogFile {
  /** Outcome of the log before the continuation. */
  readonly found: LogOutcome
}

/** Error for a log that cannot be continued. The log was left unchanged. */
export class ResumeError extends Error {
  readonly _tag: 'ResumeError' = 'ResumeError'
  override readonly name: string = 'ResumeError'
  readonly path: string

  constructor(path: string, reason: string) {
    super(`cannot continue ${path}, which was left as it is: ${reason}`)
    this.path = path
  }
}

/**
 * Opens the log of a run that was cut off, to repeat the run from its start. `write` compares its bytes with the
 * existing bytes, and appends from the first missing byte on. A torn last line or frame is cut off when the first byte
 * is appended, not before. A missing file counts as an empty log.
 *
 * @param options.sync as for `createLogFile`
 * @throws LogFileError if the file cannot be opened, or another process writes the file; from `write` and `close`, as
 * for any log file
 * @throws ResumeError if the path is a pipe or device, or the log is corrupt; from `write`, if the log belongs to
 * another run: names the record and the difference
 */
export function resumeLogFile(path: string, options: { readonly sync?: Sync } = {}): ResumedLogFile {
  if (isStream(path))
    throw new ResumeError(path, 'it is no file; a pipe or device keeps nothing that could be continued')
  const output = openOutput(path, 'append', options.sync)
  try {
    const { found, goodPart } = examine(path)
    if (found.status === 'corrupt') throw new ResumeError(path, describeOutcome(found))
    return { path, found, write: appendMissing(output, goodPart, isCompressed(path)), close: () => output.close() }
  } catch (error) {
    output.close()
    throw error
  }
}

/** Good part of a file: bytes of the log, and the bytes of the file with them. */
interface GoodPart {
  readonly bytes: number
  readonly fileBytes: number
}

function examine(path: string): { readonly found: LogOutcome; readonly goodPart: GoodPart } {
  let whole: GoodPart = { bytes: 0, fileBytes: 0 }
  let length = 0
  function* counted(): Generator<Uint8Array, void, void> {
    for (const { bytes, fileEnd } of fileChunks(path)) {
      length += bytes.length
      if (fileEnd !== undefined) whole = { bytes: length, fileBytes: fileEnd }
      yield bytes
    }
  }
  const records = readLog(counted(), sha256)
  let next = records.next()
  while (next.done !== true) next = records.next()
  const found = next.value
  // A torn line is cut off. Whole frames stay, even if another program cut lines across frames.
  return { found, goodPart: isCompressed(path) ? whole : { bytes: found.bytes, fileBytes: found.bytes } }
}

/** Returns the sink, which compares with the existing bytes first, then cuts off the torn rest, then appends. */
function appendMissing(output: OutputFile, goodPart: GoodPart, zstd: boolean): (chunk: Uint8Array) => void {
  const there = new ByteSource(bytesOf(output.path))
  let offset = 0
  let isCut = false
  return (chunk) => {
    const common = Math.min(chunk.length, goodPart.bytes - offset)
    if (common > 0) compare(output.path, there, chunk.subarray(0, common), chunk, offset)
    offset += common
    if (common === chunk.length) return
    if (!isCut) output.truncate(goodPart.fileBytes)
    isCut = true
    const missing = chunk.subarray(common)
    output.write(zstd ? compressFrame(missing) : missing)
  }
}

function* bytesOf(path: string): Generator<Uint8Array, void, void> {
  for (const { bytes } of fileChunks(path)) yield bytes
}

const LF = 10

/**
 * Compares existing bytes with expected bytes.
 *
 * @param expected part of `chunk` that must exist; begins at the start of a line, or after the previous chunk
 */
function compare(path: string, there: ByteSource, expected: Uint8Array, chunk: Uint8Array, offset: number): void {
  const found = there.take(expected.length)
  if (Buffer.compare(found, expected) === 0) return
  const at = expected.findIndex((byte, i) => byte !== found[i])
  const lineStart = at === 0 ? 0 : expected.lastIndexOf(LF, at - 1) + 1
  const here = Buffer.from(chunk.subarray(lineStart, chunk.indexOf(LF, at))).toString('latin1')
  const foundEnd = found.indexOf(LF, at)
  const foundLine =
    foundEnd >= 0 ? found.subarray(lineStart, foundEnd) : Buffer.concat([found.subarray(lineStart), there.takeLine()])
  const seq = /^\{"seq":(\d+)/.exec(here)?.[1]
  throw new ResumeError(
    path,
    `it is the log of another run: record ${seq}, at byte ${offset + lineStart}, differs: ${differenceBetween(Buffer.from(foundLine).toString('latin1'), here)}`,
  )
}
