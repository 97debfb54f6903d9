import { BadLineCounter, quote, type ReadingOptions, TraceError } from './errors.ts'
import { MAX_CSV_BYTES, wholeText } from './text.ts'
import { commentsOfNodes, makeColumns, readDirectives, swfMaximum, type SwfTrace } from './swf/swf.ts'

const heading = ['Job_name', 'Submit', 'Runtime', 'Nodes', 'Comment', 'Perc'] as const

/** Recognises a list of communicating jobs by its first line, `Job_name Submit Runtime Nodes Comment Perc`. */
export function isCommunicationList(text: Uint8Array): boolean {
  const [line] = new TextDecoder().decode(text.subarray(0, 200)).split(/\r?\n|\r/, 1)
  return line.trim().split(/\s+/).join(' ') === heading.join(' ')
}

/**
 * Reads a list of communicating jobs. White space separates the columns `Job_name Submit Runtime Nodes Comment Perc`.
 * Submit times are Unix seconds, run times seconds. `Comment` is 1 for a communicating job and 0 for any other job.
 * `Perc` is the share of communication in the run time of a communicating job, in percent.
 *
 * The returned trace has the columns of SWF and `communication`. Sizes are in nodes. No job has a walltime.
 *
 * @throws TraceError for a file that is too large, and at the first bad line unless `skipBadLines` is true
 */
export function parseCommunicationList(text: string | Uint8Array, options: ReadingOptions): SwfTrace {
  const { file } = options
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  const lines = wholeText(bytes, file, `a list of at most ${MAX_CSV_BYTES} bytes`).split(/\r\n|\r|\n/)
  const badLines = new BadLineCounter(options)
  const jobs = lines.flatMap((text, index) => {
    if (index === 0 || text.trim() === '') return []
    const values = badLines.reading(() => readLine(file, index + 1, text))
    return values === undefined ? [] : [{ line: index + 1, values }]
  })
  const columns = makeColumns(() => new Float64Array(jobs.length).fill(-1))
  const communication = new Float64Array(jobs.length)
  for (const [row, { values }] of jobs.entries()) {
    const [job, submit, runTime, nodes, communicates, percent] = values
    columns.job[row] = job
    columns.submit[row] = submit
    columns.runTime[row] = runTime
    columns.requestedProcs[row] = nodes
    columns.allocatedProcs[row] = nodes
    communication[row] = communicates === 1 ? percent * 10 : 0
  }
  const comments = commentsOfNodes()
  return {
    file,
    comments,
    directives: readDirectives(comments),
    jobs: jobs.length,
    lines: Int32Array.from(jobs, ({ line }) => line),
    columns,
    communication,
    ...(badLines.count === 0 ? {} : { badLines }),
  }
}

function readLine(file: string, line: number, text: string): ReadonlyArray<number> {
  const values = text.trim().split(/\s+/)
  const expected = `${heading.length} values: ${heading.join(' ')}`
  if (values.length !== heading.length) throw new TraceError({ file, line, found: `${values.length} values`, expected })
  return values.map((value, at) => {
    const field = heading[at]
    const most = field === 'Comment' ? 1 : field === 'Perc' ? 100 : swfMaximum
    const number = Number(value)
    if (/^\d{1,15}$/.test(value) && number <= most) return number
    const limit = most === swfMaximum ? '' : ` to ${most}`
    throw new TraceError({ file, line, field, found: quote(value), expected: `a whole number from 0${limit}` })
  })
}
