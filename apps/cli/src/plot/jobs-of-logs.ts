import {
  isJobNumber,
  isJobTime,
  JobColumns,
  type JobNumber,
  jobNumbers,
  parseJobQuery,
  selectJobs,
} from '@cloister/metrics'
import { drawBySize, drawEcdf, type Extent } from '@cloister/viewer/pictures'
import { OptionError } from '@cloister/run'
import { Effect } from 'effect'
import { concludeReading, readRecords, remarkOnPart } from '../log/log-reading.ts'
import { remark } from '../terminal/output.ts'
import { emptyDocument } from './document.ts'
import { namesOf } from './names-of-files.ts'

/** Draws a figure of the jobs that match a query: by size (`by-size`), or as a distribution (`ecdf`). */
export const drawJobs = Effect.fnUntraced(function* (
  kind: 'by-size' | 'ecdf',
  files: ReadonlyArray<string>,
  of: string,
  where: string,
  extent: Extent,
) {
  if (!isJobNumber(of))
    return yield* new OptionError({ option: 'of', reason: `found ${of}, expected one of ${jobNumbers.join(', ')}` })
  const query = yield* Effect.try({
    try: () => parseJobQuery(where),
    catch: (error) => new OptionError({ option: 'where', reason: (error as Error).message }),
  })
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
  const picture = (kind === 'ecdf' ? drawEcdf : drawBySize)(emptyDocument(), extent, runs, axis)
  yield* concludeReading(read)
  return picture
})

function axisOf(of: JobNumber): { readonly label: string; readonly unit: number } {
  return isJobTime(of) ? { label: `${of}, hours`, unit: 3600 } : { label: of, unit: 1 }
}

const readJobs = Effect.fnUntraced(function* (path: string) {
  const columns = new JobColumns()
  let ofPart: string | undefined
  const outcome = yield* readRecords(path, (record) => {
    if (record.type === 'header') ofPart = remarkOnPart(path, record)
    columns.add(record)
  })
  if (ofPart !== undefined) yield* remark(ofPart)
  return { path, outcome, columns }
})
