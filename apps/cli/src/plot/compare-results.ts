import { type MetricUnit, metricList } from '@cloister/metrics'
import { OptionError, runOptionNames, type RunOptionName } from '@cloister/run'
import { type ComparedRuns, drawComparison, type Extent } from '@cloister/viewer/pictures'
import { Effect } from 'effect'
import { attempt } from '../errors/attempt.ts'
import { ResultsFileError } from '../errors/errors.ts'
import { Files } from '../files/files.ts'
import { type CellResult, parseResult } from '../sweep/cell-result.ts'
import { emptyDocument } from './document.ts'

/** By what runs of one group may differ: what is drawn by chance. */
const chance: ReadonlySet<string> = new Set(['seed'])
const drawable: ReadonlySet<MetricUnit> = new Set(['count', 'share', 'seconds', 'ratio'])

/** Draws a metric of the results of a sweep: runs that differ by their seed alone are a group. */
export const drawResults = Effect.fnUntraced(function* (files: ReadonlyArray<string>, of: string, extent: Extent) {
  const metric = metricList.find(({ name, unit }) => name === of && drawable.has(unit))
  if (metric === undefined) {
    const known = metricList.filter(({ unit }) => drawable.has(unit)).map(({ name }) => name)
    return yield* new OptionError({ option: 'of', reason: `found ${of}, expected a metric: ${known.join(', ')}` })
  }
  const disk = yield* Files
  const results = yield* attempt(() => files.flatMap((path) => resultsOf(path, disk.readText(path))))
  const fields = runOptionNames.filter(
    (field) => !chance.has(field) && new Set(results.map((result) => valueOf(result, field))).size > 1,
  )
  const groups = new Map<string, Array<number>>()
  for (const result of results) {
    const value = metric.of(result.metrics)
    if (typeof value !== 'number') continue
    const name = fields.map((field) => valueOf(result, field)).join(', ') || result.policy
    groups.set(name, [...(groups.get(name) ?? []), value])
  }
  if (groups.size === 0) return yield* new OptionError({ option: 'of', reason: `no result has ${of}` })
  const compared = Array.from(groups, ([name, values]): ComparedRuns => ({ name, values }))
  const unit = metric.unit === 'seconds' ? ', s' : ''
  return drawComparison(emptyDocument(), extent, compared, {
    label: `${metric.label}${unit}`,
    isShare: metric.unit === 'share',
  })
})

/** @throws ResultsFileError */
function resultsOf(path: string, text: string): ReadonlyArray<CellResult> {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line, at) => {
    const result = parseResult(line)
    if (result === undefined) throw new ResultsFileError({ path, line: at + 1, found: line.slice(0, 40) })
    return result
  })
}

function valueOf({ cell }: CellResult, field: RunOptionName): string {
  const value = cell[field]
  return value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
}
