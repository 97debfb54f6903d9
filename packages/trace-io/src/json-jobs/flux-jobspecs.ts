import { BadLineCounter, type ReadingOptions, TraceError } from '../errors.ts'
import { JsonTextError, parseJsonText } from '../json-text.ts'
import { SlurmJson } from '../slurm/sacct-json.ts'
import type { SwfTrace } from '../swf/swf.ts'
import type { JobRow } from '../table/job-rows.ts'
import { traceOfRows } from '../table/parse-job-table.ts'
import { wholeText } from '../text.ts'

/** Returns true if a text begins like a jobspec of Flux in JSON: an object with resources and tasks. */
export function isJobspecs(start: string): boolean {
  return /^\uFEFF?\s*[{[]/.test(start) && /"resources"\s*:/.test(start) && /"(?:tasks|attributes)"\s*:/.test(start)
}

const LACKS =
  'a jobspec has neither submission nor run time: all jobs are submitted at once, and run for their duration'

/**
 * Reads jobspecs of Flux in JSON (RFC 14 and RFC 25): a jobspec a line, a single jobspec, or a list. All jobs are
 * submitted at time 0, and run for their `duration`. The size of a job is its number of nodes; of a range of counts the
 * smallest. A jobspec with slots and without nodes is a bad line, because it states no number of nodes.
 *
 * @throws TraceError for no JSON, and at the first bad line unless `skipBadLines` is true
 */
export function parseJobspecs(text: string | Uint8Array, options: ReadingOptions): SwfTrace {
  const { file } = options
  const badLines = new BadLineCounter(options)
  const whole = typeof text === 'string' ? text : wholeText(text, file, 'at most 256 MiB of JSON')
  const rows: Array<JobRow> = []
  for (const [line, value] of documents(whole, file)) {
    const row = badLines.reading(() => rowOf(new SlurmJson(file, line, value()), line))
    if (row !== undefined) rows.push(row)
  }
  return { ...traceOfRows(rows, file), lacks: [LACKS], ...(badLines.count === 0 ? {} : { badLines }) }
}

/** Returns the lines of jobspecs with functions that parse them; for a list, the places in the list. */
function documents(text: string, file: string): ReadonlyArray<readonly [line: number, value: () => unknown]> {
  const lines = text.split(/\r\n|\r|\n/).map((line, at) => [at + 1, line] as const)
  const filled = lines.filter(([, line]) => line.trim() !== '')
  const json = (line: string, first: number): unknown => {
    try {
      return parseJsonText(line)
    } catch (error) {
      if (!(error instanceof JsonTextError)) throw error
      const found = `no valid JSON (column ${error.column}: ${error.problem})`
      throw new TraceError({ file, line: error.line + first - 1, found, expected: 'jobspecs of Flux in JSON' })
    }
  }
  if (filled.length > 1 && filled[0][1].trimEnd().endsWith('}'))
    return filled.map(([at, line]) => [at, () => json(line, at)])
  const value = json(text, 1)
  return Array.isArray(value) ? value.map((each: unknown, at) => [at + 1, () => each]) : [[1, () => value]]
}

function rowOf(job: SlurmJson, line: number): JobRow {
  const total = { node: 0, gpu: 0 }
  addResources(job.list('resources'), 1, total)
  if (total.node === 0) job.fail('resources', 'a resource of type node; slots without nodes have no number of nodes')
  const duration = job.value('attributes.system.duration') ?? 0
  if (typeof duration !== 'number' || !(duration >= 0))
    return job.fail('attributes.system.duration', 'seconds, or 0 for no limit')
  const run = duration === 0 ? -1 : duration
  const text = (path: string): string => job.text(`attributes.system.${path}`)
  const [account, queue, name] = [text('bank') || text('project'), text('queue'), text('job.name')]
  return {
    line,
    id: String(line),
    submit: 0,
    wait: -1,
    run,
    walltime: run,
    nodes: total.node,
    status: 1,
    labels: {
      ...(account && { account }),
      ...(queue && { queue }),
      ...(name && { name }),
      ...(total.gpu > 0 && { gpus: total.gpu }),
    },
  }
}

/** Adds the nodes and GPUs of vertices, each `times` times, and of the vertices inside. */
function addResources(vertices: ReadonlyArray<SlurmJson>, times: number, total: { node: number; gpu: number }): void {
  for (const vertex of vertices) {
    const isRange = vertex.value('count.min') !== undefined
    const count = times * vertex.number(isRange ? 'count.min' : 'count')
    if (count < 0) vertex.fail('count', 'a whole number, or a range with min')
    const type = vertex.text('type')
    if (type === 'node' || type === 'gpu') total[type] += count
    addResources(vertex.list('with'), count, total)
  }
}
