import { RunTable } from '@cloister/eventlog'
import { bySizeFigure, ecdfFigure } from '@cloister/figures'
import { isJobNumber, isJobTime, JobColumns, jobNumbers, selectJobs } from '@cloister/metrics'
import { Effect } from 'effect'
import { Problem } from '../errors/errors.ts'
import { concludeReading, queryOf, readRecords, remarkOnPart } from '../log/log-reading.ts'
import { remark } from '../terminal/output.ts'
import type { PlotRequest } from './request.ts'
import { namesOf } from './run-names.ts'

/** Draws a figure of the jobs that match a query: by size (`by-size`), or as a distribution (`ecdf`). */
export const figureOfJobs = Effect.fnUntraced(function* (
  kind: 'by-size' | 'ecdf',
  { files, of = 'wait', where = '', names, scale = 'log', panels }: PlotRequest,
) {
  if (!isJobNumber(of)) return yield* new Problem(`--of: found ${of}, expected one of ${jobNumbers.join(', ')}`)
  const query = yield* queryOf(where)
  const labels = yield* namesOf(files, names)
  const read = yield* Effect.forEach(files, readJobs)
  const runs = read.map(({ columns }, at) => {
    const rows = Array.from(selectJobs(columns, query))
    return {
      name: labels[at],
      sizes: rows.map((row) => columns.number('size', row)),
      values: rows.map((row) => columns.number(of, row)),
    }
  })
  const isTime = isJobTime(of)
  const values = { label: isTime ? `${of}, hours` : of, unit: isTime ? 3600 : 1, isTime, scale, isInPanels: panels }
  const figure = (kind === 'ecdf' ? ecdfFigure : bySizeFigure)(runs, values)
  return { figure, conclude: concludeReading(read) }
})

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
