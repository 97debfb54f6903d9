import { type ComparedRuns, comparisonFigure, textWidth } from '@cloister/figures'
import { attempt, type RunSpec } from '@cloister/run'
import { Files } from '@cloister/run/node'
import {
  type CellResult,
  type Group,
  groupsOf,
  mixedDraws,
  numericMetrics,
  parseResult,
  ResultsFileError,
} from '@cloister/sweep'
import { readCsv } from '@cloister/trace-io'
import { Effect } from 'effect'
import { axisUnit, mixedLines, optionText, tellingOptions } from '../commands/sweep/tables.ts'
import { Problem } from '../errors/errors.ts'
import { visibleOnOneLine } from '../terminal/output.ts'
import type { PlotRequest } from './request.ts'
import { fileNames, givenNames, onLines } from './run-names.ts'
import { runTest } from './run-query.ts'

/** Draws a metric from the results of a sweep, a mark for each group of runs that differ only by seeds. */
export const figureOfResults = Effect.fnUntraced(function* ({
  files,
  of = 'utilization.steady',
  where = '',
  by,
  beside,
  marks = 'points',
  names,
  'row-names': rowNames,
  patterns,
  extent,
}: PlotRequest) {
  if (patterns && marks === 'points') return yield* new Problem('--patterns needs --marks bars: points have no pattern')
  const isCsv = beside?.endsWith('.csv') === true
  const metric = numericMetrics.find(({ name }) => name === of)
  if (metric === undefined) {
    const known = numericMetrics.map(({ name }) => name)
    return yield* new Problem(`--of: found ${of}, expected a metric: ${known.join(', ')}`)
  }
  const disk = yield* Files
  const isAsked = yield* runTest(where)
  const read = (paths: ReadonlyArray<string>): ReadonlyArray<Group> =>
    groupsOf(paths.flatMap((path) => resultsOf(path, disk.readText(path))).filter(({ cell }) => isAsked(cell))).filter(
      ({ metrics }) => metrics[of] !== undefined,
    )
  const groups = yield* attempt(() => read(files))
  if (groups.length === 0)
    return yield* new Problem(
      where === ''
        ? `--of: found ${of}, expected a metric with a value in at least one result`
        : `--where: found ${where}, expected a query that at least one result with a value of ${of} matches; an option that a run lacks has an empty value, as in seed=`,
    )
  const others = beside === undefined || isCsv ? [] : yield* attempt(() => read([beside]))
  yield* refuseMixed([...groups, ...others])
  const options = tellingOptions(groups.map(({ cell }) => cell))
  const asked = by?.split(',') ?? []
  const other = asked.find((name) => !(options as ReadonlyArray<string>).includes(name))
  if (other !== undefined)
    return yield* new Problem(
      `--by: found ${other}, expected options that differ between the runs: ${options.join(', ')}`,
    )
  const hasSeries = asked.length > 0
  if (rowNames !== undefined && !hasSeries)
    return yield* new Problem('--row-names needs --by; without --by the names of the rows are those of --names')
  const labelOf = (cell: RunSpec, isSeries: boolean): string => {
    const texts = options
      .filter((option) => asked.includes(option) === isSeries)
      .map((option) => optionText(cell, option))
    return visibleOnOneLine(texts.filter((text) => text !== '').join(', '))
  }
  const labelsOf = (cell: RunSpec): Labels => ({
    name: labelOf(cell, false),
    ...(hasSeries ? { series: labelOf(cell, true) } : {}),
  })
  const compared = groups.map(({ cell, runs, metrics }): ComparedRuns => {
    const values = [...runs.values()].map((run) => metric.of(run.metrics)).filter((value) => typeof value === 'number')
    return { ...labelsOf(cell), ...metrics[of], values }
  })
  const source = yield* attempt(() => {
    if (beside === undefined) return undefined
    if (isCsv) return valuesOfCsv(beside, disk.readText(beside), hasSeries)
    const values = others.map(({ cell, metrics }) => [keyOf(labelsOf(cell)), metrics[of].mean] as const)
    return { name: fileNames([beside])[0], values: new Map(values) }
  })
  const withNames = yield* renamed(compared, hasSeries ? 'series' : 'name', 'names', names)
  const shown = yield* renamed(withNames, 'name', 'row-names', rowNames)
  const rows = rowsByKey(compared, shown)
  const unknown = [...(source?.values.keys() ?? [])].find((key) => !rows.has(key))
  if (unknown !== undefined)
    return yield* new Problem(
      `--beside: ${beside} has a value for ${unknown}, expected one of ${[...rows.keys()].join('; ')}`,
    )
  const besides = new Map([...(source?.values ?? [])].map(([key, value]) => [rows.get(key)!, value]))
  const wide = shown.find(({ name }) => textWidth(name, extent.type ?? 12) > extent.width * WIDEST)
  if (wide !== undefined)
    return yield* new Problem(
      `the row name ${wide.name} takes more than half of the width of the picture; --by moves options into the colours, --width and --width-mm give a wider picture, ${hasSeries ? '--row-names' : '--names'} NAME,NAME,… gives shorter names to the rows, in this order:\n${onLines([...new Set(shown.map(({ name }) => name))])}`,
    )
  const withValues = shown.map((each, row) => (besides.has(row) ? { ...each, beside: besides.get(row)! } : each))
  const figure = comparisonFigure(withValues, {
    metric: of,
    label: `${metric.label}${metric.unit === 'seconds' ? ', s' : ''}`,
    ...axisUnit(metric.unit),
    shape: marks,
    ...(source === undefined ? {} : { besideName: source.name }),
  })
  return { figure, conclude: Effect.void }
})

/** Names of the row and of the series of some runs. */
type Labels = Pick<ComparedRuns, 'name' | 'series'>

function keyOf({ name, series }: Labels): string {
  return [name, ...(series === undefined ? [] : [series])].filter((label) => label !== '').join(', ')
}

/** Returns the indices of rows by the keys of their own labels, and by the keys with names of `--names`. */
function rowsByKey(own: ReadonlyArray<Labels>, shown: ReadonlyArray<Labels>): ReadonlyMap<string, number> {
  const rows = new Map(own.map((labels, row) => [keyOf(labels), row]))
  shown.forEach(({ name, series }, row) => {
    for (const labels of [
      { ...own[row], name },
      { ...own[row], ...(series === undefined ? {} : { series }) },
      shown[row],
    ])
      if (!rows.has(keyOf(labels))) rows.set(keyOf(labels), row)
  })
  return rows
}

/** Fails if a group has no valid interval. The message has the query that keeps the most runs of each draw. */
const refuseMixed = Effect.fnUntraced(function* (groups: ReadonlyArray<Group>) {
  const mixed = groups.find((group) => mixedDraws(group).length > 0)
  if (mixed === undefined) return
  const terms = mixedDraws(mixed).map(({ option, values }) => `--where '${option}=${mostFrequent(values)}'`)
  return yield* new Problem(`${mixedLines(groups)[0]}: ${terms.join(' or ')} draws such runs`)
})

function mostFrequent(values: ReadonlyArray<string>): string {
  const times = (value: string): number => values.filter((each) => each === value).length
  return values.reduce((best, value) => (times(value) > times(best) ? value : best))
}

/** Largest width of the name of a row, as a share of the width of the picture. */
const WIDEST = 0.5

/** Changes the names of the rows (`name`) or of the series to the names of an option. */
const renamed = Effect.fnUntraced(function* (
  groups: ReadonlyArray<ComparedRuns>,
  what: 'name' | 'series',
  option: 'names' | 'row-names',
  names: string | undefined,
) {
  if (names === undefined) return groups
  const labels = [...new Set(groups.map((group) => group[what]))]
  const given = yield* givenNames(names, labels.map(String), what === 'series' ? 'series of --by' : 'rows', option)
  return groups.map((group): ComparedRuns => ({ ...group, [what]: given[labels.indexOf(group[what])] }))
})

/**
 * Reads values of another source from a table: the first line has the columns `runs`, then `series` if the picture has
 * series, then a column whose heading is the name of the source.
 */
function valuesOfCsv(path: string, text: string, hasSeries: boolean) {
  const columns = hasSeries ? ['runs', 'series'] : ['runs']
  const values = new Map<string, number>()
  let source = ''
  readCsv(text, path, (line, cells) => {
    const labels = cells.slice(0, columns.length)
    const rest = cells.slice(columns.length)
    if (source === '') {
      if (labels.join() !== columns.join() || rest.length !== 1 || rest[0] === '')
        throw new Problem(
          `${path}:${line}: found ${cells.join()}, expected the columns ${columns.join()} and the name of the source`,
        )
      source = rest[0]
      return
    }
    const value = Number(rest[0])
    if (rest.length !== 1 || rest[0] === '' || !Number.isFinite(value))
      throw new Problem(`${path}:${line}: found ${rest.join()}, expected one number after ${columns.join()}`)
    values.set(labels.filter((label) => label !== '').join(', '), value)
  })
  return { name: source, values }
}

function resultsOf(path: string, text: string): ReadonlyArray<CellResult> {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line, at) => {
    const result = parseResult(line)
    if (result === undefined) throw new ResultsFileError({ path, line: at + 1, found: line.slice(0, 40) })
    return result
  })
}
