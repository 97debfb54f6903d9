import { createHash, randomBytes } from 'node:crypto'
import { fstatSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { attempt, LogFileError, readSmallFile } from './files.ts'
import { LogIndex } from '../log/log-index.ts'
import type { Frame } from './log-ranges.ts'
import { compressFrame, decompress } from './zstd-frame.ts'

/** Most bytes of an index file, compressed and uncompressed; for a larger index, each opening reads the whole log. */
const MAX_INDEX = 2 ** 28

/** Size in bytes and SHA-256 (hexadecimal) of a log file when its index was made; tells whether an index is stale. */
export interface Identity {
  readonly size: number
  readonly sha256: string
}

/** Content of the index file of a log. */
export interface StoredIndex {
  readonly index: LogIndex
  /** Frames of the log; null if the log is not compressed. */
  readonly frames: ReadonlyArray<Frame> | null
}

/** Index that was read from an index file, with the identity of the index's log. */
export interface FoundIndex extends StoredIndex {
  readonly identity: Identity
}

/** Returns the path of a log's index file, which may be deleted at any time. */
export function indexPath(log: string): string {
  return `${log}.index`
}

/**
 * Returns the index from the index file beside a log. If the index does not belong to the present bytes of the log, or
 * is damaged, returns the reason why the index is unusable. Returns undefined if there is no index file, or an index
 * file of an older version of this program.
 *
 * @param file descriptor of the open log file
 * @param fits returns true if the first and the last record of the log agree with an index
 * @throws LogFileError if the log cannot be read
 */
export function readIndex(
  path: string,
  file: number,
  fits: (stored: StoredIndex) => boolean,
): FoundIndex | { readonly unusable: string } | undefined {
  const lines = indexLines(indexPath(path))
  if (lines === undefined || 'unusable' in lines) return lines
  const { identity, frames, text } = lines
  const { size } = attempt('read', path, () => fstatSync(file))
  if (identity.size !== size || identity.sha256 !== checksumOf(path, file))
    return { unusable: 'the log has changed since the index was made' }
  const index = LogIndex.decode(text)
  if (index === undefined) return { unusable: DAMAGED }
  const stored = { index, frames, identity }
  try {
    if (fits(stored)) return stored
  } catch (error) {
    if (error instanceof LogFileError) throw error
  }
  return { unusable: 'the index does not agree with the log' }
}

const DAMAGED = 'the index is damaged'

interface Lines extends Pick<StoredIndex, 'frames'> {
  readonly identity: Identity
  readonly text: string
}

/** Reads an index file of three lines. Line 1 is the SHA-256 of lines 2 (identity, frames of the log) and 3 (index). */
function indexLines(path: string): Lines | { readonly unusable: string } | undefined {
  let text: string
  try {
    text = Buffer.from(decompress(readSmallFile(path, MAX_INDEX), 0, MAX_INDEX)).toString('latin1')
  } catch (error) {
    if (!(error instanceof LogFileError)) return { unusable: DAMAGED }
    return error.code === 'ENOENT' ? undefined : { unusable: error.message }
  }
  // An index file of the previous version of this program began with these characters.
  if (text.startsWith('{"size":')) return undefined
  const [first, second] = [text.indexOf('\n'), text.indexOf('\n', text.indexOf('\n') + 1)]
  if (first < 0 || second < 0 || text.slice(0, first) !== sha256Of(text.slice(first + 1))) return { unusable: DAMAGED }
  try {
    const { size, sha256, frames } = JSON.parse(text.slice(first + 1, second)) as Identity & Pick<StoredIndex, 'frames'>
    if (frames !== null && !areFrames(frames, size)) return { unusable: DAMAGED }
    return { identity: { size, sha256 }, frames, text: text.slice(second + 1) }
  } catch {
    return { unusable: DAMAGED }
  }
}

/** Checks that the frames follow each other, in the file and in the uncompressed log, and end within the file. */
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

/** Writes an index file, whole or not at all; returns false if the file cannot be written, as on a full disk. */
export function writeIndex(path: string, { size, sha256 }: Identity, { index, frames }: StoredIndex): boolean {
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
