import { isStream } from './writer-lock.ts'
import { ByteSource } from './byte-source.ts'
import { fileChunks, isCompressed, type LogFile, openOutput, type Sync } from './log-file.ts'
import type { OutputFile } from './output-file.ts'
import { differenceBetween } from '../log/record-difference.ts'
import { describeOutcome, type LogOutcome, readLog } from '../log/reader.ts'
import { sha256 } from './sha256.ts'
import { compressFrame } from './zstd.ts'

/** The log of a run that was cut off, being continued. */
export interface ResumedLogFile extends LogFile {
  /** How the log ended that is continued. */
  readonly found: LogOutcome
}

/** A log that cannot be continued, and was left as it is. */
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
 * Opens the log of a run that was cut off, for the same run told again from its start: what `write` gets is compared with
 * the bytes that are there, and appended from the first missing one on. A torn last line or frame is cut off when the first
 * byte is appended, not before. A file that does not exist is a log without a byte.
 *
 * @param options.sync as of `createLogFile`
 * @throws LogFileError where it cannot be opened, or another process writes it; by `write` and `close`, as those of any log file
 * @throws ResumeError where it is corrupt; by `write`, where it is another run's: names the record, and what differs
 */
export function resumeLogFile(path: string, options: { readonly sync?: Sync } = {}): ResumedLogFile {
  if (isStream(path))
    throw new ResumeError(path, 'it is no file; a pipe or device keeps nothing that could be continued')
  const output = openOutput(path, 'append', options.sync)
  try {
    const { found, kept } = examine(path)
    if (found.status === 'corrupt') throw new ResumeError(path, describeOutcome(found))
    return { path, found, write: appendMissing(output, kept, isCompressed(path)), close: () => output.close() }
  } catch (error) {
    output.close()
    throw error
  }
}

/** How far a file is good: so many bytes of the log, held by so many of the file. */
interface Kept {
  readonly bytes: number
  readonly fileBytes: number
}

function examine(path: string): { readonly found: LogOutcome; readonly kept: Kept } {
  let whole: Kept = { bytes: 0, fileBytes: 0 }
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
  // A torn line is cut off. Of frames the whole ones stay, however another program cut the lines into them.
  return { found, kept: isCompressed(path) ? whole : { bytes: found.bytes, fileBytes: found.bytes } }
}

/** The sink: compares while there is something to compare with, then cuts off what is torn, then appends. */
function appendMissing(output: OutputFile, kept: Kept, zstd: boolean): (chunk: Uint8Array) => void {
  const there = new ByteSource(bytesOf(output.path))
  let offset = 0
  let isCut = false
  return (chunk) => {
    const common = Math.min(chunk.length, kept.bytes - offset)
    if (common > 0) compare(output.path, there, chunk.subarray(0, common), chunk, offset)
    offset += common
    if (common === chunk.length) return
    if (!isCut) output.truncate(kept.fileBytes)
    isCut = true
    const missing = chunk.subarray(common)
    output.write(zstd ? compressFrame(missing) : missing)
  }
}

function* bytesOf(path: string): Generator<Uint8Array, void, void> {
  for (const { bytes } of fileChunks(path)) yield bytes
}

const LF = 10

/** @param expected the part of `chunk` that must be there already; it begins where a line does, or where the chunk before ended */
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
