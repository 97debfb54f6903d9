import { quote, TraceError } from './errors.ts'

/** Forms of job logs, as messages list them. */
export const jobLogForms =
  "a job log in SWF, in Slurm's accounting as sacct prints it, or in a list of communicating jobs"

/** Bytes of a file that are enough to see lines of jobs, behind the comments at its head. */
const HEAD = 2 ** 16
/** Two numbers at the beginning of a line: SWF has 18. */
const JOB_LINE = /^[ \t]*-?[\d.]+[ \t]+-?[\d.]/m
/** A line of SWF that is neither a comment nor empty. */
const CONTENT = /^[ \t]*[^;\s].*$/m

/**
 * Finds out whether a file that counts as SWF has no line like a job's near its head: a program, a configuration, a picture.
 *
 * @returns the error that names the first line; undefined if a line may be a job's, or all lines are comments
 */
export function notAJobLog(text: Uint8Array, file: string): TraceError | undefined {
  const head = new TextDecoder().decode(text.subarray(0, HEAD)).replace(/^\uFEFF/, '')
  const content = CONTENT.exec(head)
  if (content === null || JOB_LINE.test(head)) return undefined
  const line = head.slice(0, content.index).split(/\r\n|\r|\n/).length
  return new TraceError({ file, line, found: quote(content[0].trim()), expected: jobLogForms })
}
