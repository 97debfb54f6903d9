import { quote, TraceError } from './errors.ts'

/** List of the forms of job logs, for messages. */
export const jobLogForms =
  "a job log in SWF, in Slurm's accounting as sacct prints it, or in a list of communicating jobs"

/** Number of bytes at the start of an SWF file in which the first job's line is expected, after the comments. */
const HEAD = 2 ** 16
/** Pattern of a line that begins with two numbers, as a job in SWF begins with 18 numbers. */
const JOB_LINE = /^[ \t]*-?[\d.]+[ \t]+-?[\d.]/m
/** Pattern of a line that is neither a comment of SWF nor empty. */
const CONTENT = /^[ \t]*[^;\s].*$/m

/**
 * Recognises a file that is no job log, such as a program or a picture: no line in the first 64 KiB is a job of SWF.
 *
 * @returns an error with the first line that is no comment; undefined if a line may be a job or all lines are comments
 */
export function notAJobLog(text: Uint8Array, file: string): TraceError | undefined {
  const head = new TextDecoder().decode(text.subarray(0, HEAD)).replace(/^\uFEFF/, '')
  const content = CONTENT.exec(head)
  if (content === null || JOB_LINE.test(head)) return undefined
  const line = head.slice(0, content.index).split(/\r\n|\r|\n/).length
  return new TraceError({ file, line, found: quote(content[0].trim()), expected: jobLogForms })
}
