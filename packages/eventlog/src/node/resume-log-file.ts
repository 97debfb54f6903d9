import { isStream } from './writer-lock.ts'
import { ByteSource } from './byte-source.ts'
import { fileChunks, isCompressed, type LogFile, openOutput, type Sync } from './log-file.ts'
import type { OutputFile } from './output-file.ts'
import { differenceBetween } from '../log/record-difference.ts'
import { describeOutcome, type LogOutcome, readLog } from '../log/reader.ts'
import { sha256 } from './sha256.ts'
import { compressFrame } from './zstd.ts'

/** Log file of a run that was cut off, open for writing the rest of the log. */
export interface ResumedLogFile extends LogFile {
  /** Outcome of reading the log before any byte was appended. */
  readonly found: LogOutcome
}

/** Error for a log file that cannot be continued. A ResumeError comes before any change of the file. */
export class ResumeError extends Error {
  readonly _tag: 'ResumeError' = 'ResumeError'
  override readonly name: string = 'ResumeError'
  readonly path: string

  constructor(path: string, reason: string) {
    super(`cannot continue ${path}, which is unchanged: ${reason}`)
    this.path = path
  }
}

/**
 * Opens the log file of a run that was cut off. The caller repeats the run from its start. `write` compares the given
 * bytes with the existing bytes of the log, and appends the bytes that the log lacks. A torn last line or frame is cut
 * off before the first byte is appended, and stays if no byte is appended. `resumeLogFile` takes a missing file for an
 * empty log.
 *
 * @param options.sync time at which bytes are forced onto the disk, by default `end`
 * @throws LogFileError if the file cannot be opened, or another process writes the file. `write` and `close` throw
 *   LogFileError if the bytes cannot be written, or another program changed the file
 * @throws ResumeError if the path is a pipe or device, or the log is corrupt. `write` throws ResumeError if the
 *   existing bytes differ from the given bytes; the message names the first record that differs
 */
export function resumeLogFile(path: string, options: { readonly sync?: Sync } = {}): ResumedLogFile {
  if (isStream(path))
    throw new ResumeError(path, 'a pipe or device keeps no bytes that could be continued; give the path of a file')
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

/** Lengths of the part of a log file without a torn end: bytes of the uncompressed log, and bytes of the file. */
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
  // A torn last line of a plain log is cut off. Whole frames stay, even if another program cut lines across frames.
  return { found, goodPart: isCompressed(path) ? whole : { bytes: found.bytes, fileBytes: found.bytes } }
}

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

/** @param expected first bytes of `chunk`, which the existing log must have at `offset` */
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
    `the file is the log of another run: record ${seq}, at byte ${offset + lineStart}, differs: ${differenceBetween(Buffer.from(foundLine).toString('latin1'), here)}`,
  )
}
