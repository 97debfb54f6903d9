import { OptionError } from '@cloister/run'
import { drawComparison, type Extent } from '@cloister/viewer/pictures'
import { Effect } from 'effect'
import { attempt } from '../errors/attempt.ts'
import { Files } from '../files/files.ts'
import { type CellResult, groupsOf, numericMetrics, parseResult, ResultsFileError } from '@cloister/sweep'
import { optionText, tellingOptions } from '../sweep/tables.ts'
import { visibleOnOneLine } from '../terminal/output.ts'
import { emptyDocument } from './document.ts'

/** Draws a metric from the results of a sweep, a mark for each group of runs that differ only by seeds. */
export const drawResults = Effect.fnUntraced(function* (files: ReadonlyArray<string>, of: string, extent: Extent) {
  const metric = numericMetrics.find(({ name }) => name === of)
  if (metric === undefined) {
    const known = numericMetrics.map(({ name }) => name)
    return yield* new OptionError({ option: 'of', reason: `found ${of}, expected a metric: ${known.join(', ')}` })
  }
  const disk = yield* Files
  const results = yield* attempt(() => files.flatMap((path) => resultsOf(path, disk.readText(path))))
  const groups = groupsOf(results).filter(({ metrics }) => metrics[of] !== undefined)
  if (groups.length === 0)
    return yield* new OptionError({
      option: 'of',
      reason: `found ${of}, expected a metric with a value in at least one result`,
    })
  const options = tellingOptions(groups.map(({ cell }) => cell))
  const compared = groups.map(({ cell, runs, metrics }) => {
    const values = [...runs.values()].map((run) => metric.of(run.metrics)).filter((value) => typeof value === 'number')
    const name = visibleOnOneLine(options.map((option) => optionText(cell, option)).join(', '))
    return { name, ...metrics[of], values }
  })
  const isShare = metric.unit === 'share'
  return drawComparison(emptyDocument(), extent, compared, {
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
