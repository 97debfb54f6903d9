import { createHash, randomBytes } from 'node:crypto'
import { fstatSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { attempt, LogFileError } from './file-error.ts'
import { LogIndex } from '../log/log-index.ts'
import type { Frame } from './log-ranges.ts'
import { readSmallFile } from './regular-file.ts'
import { compressFrame, decompress } from './zstd.ts'

/** Bytes that an index may hold: one that is larger is made anew each time. */
const MAX_INDEX = 2 ** 28

/** Whose index it is: the file's size and SHA-256 (hexadecimal), as they were when it was made. */
export interface Identity {
  readonly size: number
  readonly sha256: string
}

/** What the index file holds. */
export interface KeptIndex {
  readonly index: LogIndex
  /** Null where the log is not compressed. */
  readonly frames: ReadonlyArray<Frame> | null
}

/** One that was read, of these bytes. */
export interface FoundIndex extends KeptIndex {
  readonly identity: Identity
}

/** The file in which a log's index is kept: may be deleted at any time. */
export function indexPath(log: string): string {
  return `${log}.index`
}

/**
 * The index beside a log, if it is that of the log's present bytes; or why it is not to be used. Undefined where there is none,
 * or one of another version of this program.
 *
 * @param file the log, open
 * @param fits whether the log begins and ends as an index says
 * @throws LogFileError where the log cannot be read
 */
export function readIndex(
  path: string,
  file: number,
  fits: (kept: KeptIndex) => boolean,
): FoundIndex | { readonly unusable: string } | undefined {
  const lines = indexLines(indexPath(path))
  if (lines === undefined || 'unusable' in lines) return lines
  const { identity, frames, text } = lines
  const { size } = attempt('read', path, () => fstatSync(file))
  if (identity.size !== size || identity.sha256 !== checksumOf(path, file))
    return { unusable: 'it is that of other bytes than the log has now' }
  const index = LogIndex.decode(text)
  if (index === undefined) return { unusable: DAMAGED }
  const kept = { index, frames, identity }
  try {
    if (fits(kept)) return kept
  } catch (error) {
    if (error instanceof LogFileError) throw error
  }
  return { unusable: 'it says something else of the run than the log' }
}

const DAMAGED = 'it is damaged'

interface Lines extends Pick<KeptIndex, 'frames'> {
  readonly identity: Identity
  readonly text: string
}

/** Three lines: the SHA-256 of the rest, whose index it is, the index. */
function indexLines(path: string): Lines | { readonly unusable: string } | undefined {
  let text: string
  try {
    text = Buffer.from(decompress(readSmallFile(path, MAX_INDEX), 0, MAX_INDEX)).toString('latin1')
  } catch (error) {
    if (!(error instanceof LogFileError)) return { unusable: DAMAGED }
    return error.code === 'ENOENT' ? undefined : { unusable: error.message }
  }
  // How an index of the version before began.
  if (text.startsWith('{"size":')) return undefined
  const [first, second] = [text.indexOf('\n'), text.indexOf('\n', text.indexOf('\n') + 1)]
  if (first < 0 || second < 0 || text.slice(0, first) !== sha256Of(text.slice(first + 1))) return { unusable: DAMAGED }
  try {
    const { size, sha256, frames } = JSON.parse(text.slice(first + 1, second)) as Identity & Pick<KeptIndex, 'frames'>
    if (frames !== null && !areFrames(frames, size)) return { unusable: DAMAGED }
    return { identity: { size, sha256 }, frames, text: text.slice(second + 1) }
  } catch {
    return { unusable: DAMAGED }
  }
}

/** They lie one behind the other, in the file and in the log. */
function areFrames(frames: ReadonlyArray<Frame>, size: number): boolean {
  return (
    Array.isArray(frames) &&
    frames.every(({ from, to, start }, at) => {
      const before: Frame | undefined = frames[at - 1]
      const isBehind = before === undefined || (from >= (before.to ?? Infinity) && start >= before.start)
      const hasEnd = to === undefined ? at === frames.length - 1 : Number.isSafeInteger(to) && to > from && to <= size
      return isBehind && hasEnd && Number.isSafeInteger(from) && from >= 0 && Number.isSafeInteger(start) && start >= 0
    })
  )
}

/** Whole or not at all. False where it cannot be kept: a folder for reading only, a full disk. */
export function writeIndex(path: string, { size, sha256 }: Identity, { index, frames }: KeptIndex): boolean {
  const unfinished = `${indexPath(path)}.${randomBytes(6).toString('hex')}`
  const rest = `${JSON.stringify({ size, sha256, frames })}\n${index.encode()}`
  try {
    writeFileSync(unfinished, compressFrame(Buffer.from(`${sha256Of(rest)}\n${rest}`, 'latin1')), { flag: 'wx' })
    renameSync(unfinished, indexPath(path))
    return true
  } catch {
    rmSync(unfinished, { force: true })
    return false
  }
}

const CHUNK = 2 ** 20

function checksumOf(path: string, file: number): string {
  const hash = createHash('sha256')
  const chunk = Buffer.alloc(CHUNK)
  for (let at = 0, length = -1; length !== 0; at += length) {
    length = attempt('read', path, () => readSync(file, chunk, 0, CHUNK, at))
    hash.update(chunk.subarray(0, length))
  }
  return hash.digest('hex')
}

function sha256Of(text: string): string {
  return createHash('sha256').update(text, 'latin1').digest('hex')
}
