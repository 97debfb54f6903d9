import { headerTopology, RunTable } from '@cloister/eventlog'
import {
  isJobNumber,
  isJobTime,
  JobColumns,
  type JobNumber,
  jobNumbers,
  MetricsFold,
  selectJobs,
  Timeline,
} from '@cloister/metrics'
import { attempt, Files } from '@cloister/run/node'
import { type CellResult, groupsOf, numericMetrics, parseResult, ResultsFileError } from '@cloister/sweep'
import {
  drawBySize,
  drawComparison,
  drawEcdf,
  drawNodeTime,
  drawNodeTimeShares,
  drawUtilization,
  type Extent,
  type Picture,
} from '@cloister/viewer/pictures'
import { Effect } from 'effect'
import { basename, extname } from 'node:path'
import { Problem } from '../errors/errors.ts'
import { concludeReading, readRecords, remarkOnPart } from '../log/log-reading.ts'
import { named, queryOf } from '../log/measurement.ts'
import { optionText, tellingOptions } from '../commands/sweep/tables.ts'
import { remark, visibleOnOneLine } from '../terminal/output.ts'
import { emptyDocument } from './document.ts'

/** Number of points of each line over time in a picture. */
const POINTS = 400

/** Draws busy nodes over time (`utilization`), or the use of all nodes (`node-time`: over time; several logs: bars). */
export const drawOverTime = Effect.fnUntraced(function* (
  kind: 'utilization' | 'node-time',
  files: ReadonlyArray<string>,
  extent: Extent,
) {
  const names = namesOf(files)
  const read = yield* Effect.forEach(files, readOverTime)
  const runs = read.map(({ timeline, nodes, begin, end }, at) => ({
    name: names[at],
    nodes,
    means: timeline.means(begin, Math.max(begin + 1, end), POINTS),
  }))
  const document = yield* emptyDocument
  const shares = read.map(({ nodeTime }, at) => ({
    name: names[at],
    shares:
      nodeTime === null
        ? []
        : [
            nodeTime.busy,
            nodeTime.beyondRequest,
            nodeTime.down,
            nodeTime.noJob,
            nodeTime.tooFewNodes,
            nodeTime.fragmented,
          ],
  }))
  const picture: Picture =
    kind === 'utilization'
      ? drawUtilization(document, extent, runs)
      : runs.length === 1
        ? drawNodeTime(document, extent, runs[0])
        : drawNodeTimeShares(document, extent, shares)
  yield* concludeReading(read)
  return picture
})

const readOverTime = Effect.fnUntraced(function* (path: string) {
  let timeline: Timeline | undefined
  let [nodes, begin, end] = [0, 0, 0]
  let ofPart: string | undefined
  const fold = new MetricsFold()
  const outcome = yield* readRecords(path, (record) => {
    if (record.type === 'header') {
      timeline = new Timeline(record)
      nodes = headerTopology(record).nodes
      begin = record.part?.from ?? 0
      ofPart = remarkOnPart(path, record)
    } else end = record.t
    fold.add(record)
    timeline!.add(record)
  }).pipe(Effect.mapError((error) => named(path, error)))
  if (ofPart !== undefined) yield* remark(ofPart)
  const { nodeTime } = yield* attempt(() => fold.result())
  // The header sets `timeline`; without a header `fold.result()` throws.
  return { path, outcome, timeline: timeline!, nodes, begin, end, nodeTime }
})

/** Draws a figure of the jobs that match a query: by size (`by-size`), or as a distribution (`ecdf`). */
export const drawJobs = Effect.fnUntraced(function* (
  kind: 'by-size' | 'ecdf',
  files: ReadonlyArray<string>,
  of: string,
  where: string,
  extent: Extent,
) {
  if (!isJobNumber(of)) return yield* new Problem(`--of: found ${of}, expected one of ${jobNumbers.join(', ')}`)
  const query = yield* queryOf(where)
  const names = namesOf(files)
  const read = yield* Effect.forEach(files, readJobs)
  const runs = read.map(({ columns }, at) => {
    const rows = Array.from(selectJobs(columns, query))
    return {
      name: names[at],
      sizes: rows.map((row) => columns.number('size', row)),
      values: rows.map((row) => columns.number(of, row)),
    }
  })
  const axis = axisOf(of)
  const picture = (kind === 'ecdf' ? drawEcdf : drawBySize)(yield* emptyDocument, extent, runs, axis)
  yield* concludeReading(read)
  return picture
})

function axisOf(of: JobNumber): { readonly label: string; readonly unit: number } {
  return isJobTime(of) ? { label: `${of}, hours`, unit: 3600 } : { label: of, unit: 1 }
}

const readJobs = Effect.fnUntraced(function* (path: string) {
  const jobs = new RunTable({ details: true })
  let ofPart: string | undefined
  const outcome = yield* readRecords(path, (record) => {
    if (record.type === 'header') ofPart = remarkOnPart(path, record)
    jobs.add(record)
  })
  if (ofPart !== undefined) yield* remark(ofPart)
  return { path, outcome, columns: new JobColumns(jobs) }
})

/** Draws a metric from the results of a sweep, a mark for each group of runs that differ only by seeds. */
export const drawResults = Effect.fnUntraced(function* (files: ReadonlyArray<string>, of: string, extent: Extent) {
  const metric = numericMetrics.find(({ name }) => name === of)
  if (metric === undefined) {
    const known = numericMetrics.map(({ name }) => name)
    return yield* new Problem(`--of: found ${of}, expected a metric: ${known.join(', ')}`)
  }
  const disk = yield* Files
  const results = yield* attempt(() => files.flatMap((path) => resultsOf(path, disk.readText(path))))
  const groups = groupsOf(results).filter(({ metrics }) => metrics[of] !== undefined)
  if (groups.length === 0)
    return yield* new Problem(`--of: found ${of}, expected a metric with a value in at least one result`)
  const options = tellingOptions(groups.map(({ cell }) => cell))
  const compared = groups.map(({ cell, runs, metrics }) => {
    const values = [...runs.values()].map((run) => metric.of(run.metrics)).filter((value) => typeof value === 'number')
    const name = visibleOnOneLine(options.map((option) => optionText(cell, option)).join(', '))
    return { name, ...metrics[of], values }
  })
  const isShare = metric.unit === 'share'
  return drawComparison(yield* emptyDocument, extent, compared, {
    label: `${metric.label}${metric.unit === 'seconds' ? ', s' : ''}`,
    format: (value) => (isShare ? `${(100 * value).toFixed(2)} %` : String(Number(value.toPrecision(4)))),
  })
})

function resultsOf(path: string, text: string): ReadonlyArray<CellResult> {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line, at) => {
    const result = parseResult(line)
    if (result === undefined) throw new ResultsFileError({ path, line: at + 1, found: line.slice(0, 40) })
    return result
  })
}

/** Returns the labels of files in a picture: file names without endings, or paths if two file names are equal. */
export function namesOf(files: ReadonlyArray<string>): ReadonlyArray<string> {
  const short = files.map((file) => {
    const name = basename(file).replace(/\.zst$/, '')
    return basename(name, extname(name))
  })
  if (new Set(short).size === files.length) return short
  return files.map((file, at) => (files.indexOf(file) === at ? file : `${file} (${at + 1})`))
}
