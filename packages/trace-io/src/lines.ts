import { TraceError } from './errors.ts'
import { MAX_LINE_BYTES } from './limits.ts'

const lineFeed = 10
const carriageReturn = 13

/**
 * Returns the number of lines that are not empty. Lines end in LF, CRLF or CR.
 *
 * @throws TraceError for more than `limit` lines, including empty lines, or for a line of more than 2^20 bytes
 */
export function countLines(
  bytes: Uint8Array,
  { file, limit }: { readonly file: string; readonly limit: number },
): number {
  let ends = 0
  let filled = 0
  let start = 0
  for (let at = 0; at <= bytes.length; at++) {
    if (at < bytes.length && bytes[at] !== lineFeed && bytes[at] !== carriageReturn) continue
    if (at === start && bytes[at] === lineFeed && bytes[at - 1] === carriageReturn) {
      start = at + 1
      continue
    }
    ends++
    if (at > start) filled++
    if (at - start > MAX_LINE_BYTES)
      throw new TraceError({
        file,
        line: ends,
        found: `${at - start} bytes`,
        expected: `a line of at most ${MAX_LINE_BYTES} bytes`,
      })
    start = at + 1
  }
  if (ends > limit) throw new TraceError({ file, found: `${ends} lines`, expected: `at most ${limit} lines` })
  return filled
}
