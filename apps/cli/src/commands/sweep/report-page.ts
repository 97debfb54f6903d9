import type { MetricUnit } from '@cloister/metrics'
import { type CellResult, type Difference, type Group, haveReplicates } from '@cloister/sweep'
import { comparisonFigure, drawFigure, type Drawer } from '@cloister/figures'
import { visibleOnOneLine } from '../../terminal/output.ts'
import { count } from '../../terminal/quantities.ts'
import {
  axisUnit,
  differenceRows,
  groupRows,
  intervalText,
  notPlacedColumns,
  optionText,
  type Rows,
  tellingOptions,
  unpairedLines,
  unitOf,
} from './tables.ts'

/** Contents of the report of a sweep. */
export interface SweepReport {
  readonly experiment: string
  /** Number of cells in the experiment, with or without a result. */
  readonly cells: number
  readonly results: ReadonlyArray<CellResult>
  readonly groups: ReadonlyArray<Group>
  readonly differences: ReadonlyArray<Difference>
}

/** Picture of a report as SVG, with the name of the file. */
export interface Figure {
  readonly name: string
  readonly svg: string
}

const plotted = [
  ['utilization.steady', 'Utilization, steady state'],
  ['turnaround.mean', 'Mean turnaround'],
  ['wait.mean', 'Mean wait'],
  ['slowdown.bounded', 'Bounded slowdown'],
] as const

/** Draws a picture for each metric of `plotted` for which at least one group has a value. */
export function figuresOf({ groups }: SweepReport, document: Drawer): ReadonlyArray<Figure> {
  const columns = tellingOptions(groups.map(({ cell }) => cell))
  return plotted.flatMap(([metric, title]) => {
    const marks = groups.flatMap(({ cell, metrics }) => {
      const interval = metrics[metric]
      if (interval === undefined) return []
      const name = columns
        .map((option) => optionText(cell, option))
        .join(' ')
        .trim()
      return [{ name, mean: interval.mean, half: interval.half }]
    })
    if (marks.length === 0) return []
    const unit = unitOf(metric)
    return [{ name: `${metric.replaceAll('.', '-')}.svg`, svg: plotIntervals(document, { title, marks, unit }) }]
  })
}

/** Mean of a metric with the confidence interval, and the label of the row in the picture. */
interface Mark {
  readonly name: string
  readonly mean: number
  /** Half of the width of the 95 % confidence interval, or null for a single run. */
  readonly half: number | null
}

interface IntervalPlot {
  readonly title: string
  readonly marks: ReadonlyArray<Mark>
  readonly unit: MetricUnit
}

const WIDTH = 640
/** Height of a row (`ROW`), and height of both margins above and below all rows (`AROUND`), in pixels. */
const [ROW, AROUND] = [26, 90]

/** Returns an SVG picture of means with intervals, a row for each mark. */
export function plotIntervals(document: Drawer, { title, marks, unit }: IntervalPlot): string {
  const longest = Math.max(...marks.map(({ name }) => name.length))
  const extent = { width: Math.max(WIDTH, 420 + 8 * longest), height: AROUND + ROW * marks.length }
  const groups = marks.map(({ name, ...mark }) => ({ ...mark, name: visibleOnOneLine(name), values: [] }))
  const label = unit === 'seconds' ? `${title}, s` : title
  return drawFigure(document, extent, comparisonFigure(groups, { label, metric: title, ...axisUnit(unit) }))
}

/** Returns the HTML page of a report. The page needs no further files. */
export function reportPage(
  { experiment, cells, results, groups, differences }: SweepReport,
  figures: ReadonlyArray<Figure>,
): string {
  const versions = [...new Set(results.flatMap(({ program, policy }) => [program, policy]))].sort()
  const missing = cells - results.length
  const failed = results.filter(({ audit }) => audit?.ok === false).length
  const audited = results.filter(({ audit }) => audit !== null).length
  const title = escapeMarkup(`Sweep of ${experiment}`)
  const meaning = haveReplicates(groups)
    ? 'Mean ± half of the 95 % confidence interval (Student) over runs that differ only by seeds; runs with equal metrics count once.'
    : 'Each row is one run: without runs of several seeds there is no interval.'
  const compared =
    differences.length === 0
      ? ''
      : `<h2>Differences from ${escapeMarkup(differences[0].against.policy)}</h2>
<p>Mean of the differences between two runs with the same seeds, ± half of the 95 % confidence interval of the mean.</p>
${htmlTable(differenceRows(differences))}${unpairedLines(groups, differences)
          .map((text) => `<pre>${escapeMarkup(text)}</pre>`)
          .join('')}`
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
<h1>${title}</h1>
<p>${count(results.length)} of ${count(cells)} cells have a result${missing === 0 ? '' : `; ${count(missing)} are missing`}. ${audited === 0 ? 'No log was audited' : `${count(audited)} logs were audited, ${failed === 0 ? 'without a finding' : `${count(failed)} of them with findings`}`}. By ${escapeMarkup(versions.join(', '))}.</p>
<h2>Results</h2>
<p>${meaning}</p>
${htmlTable(groupRows(groups))}
${figures.map(({ svg }) => `<figure>${svg}</figure>`).join('\n')}
${compared}
<h2>Every run</h2>
${htmlTable(runRows(results))}
</html>
`
}

function runRows(results: ReadonlyArray<CellResult>): Rows {
  const notPlaced = notPlacedColumns(results)
  const columns = tellingOptions(results.map(({ cell }) => cell))
  return {
    heading: [
      ...columns,
      ...notPlaced.heading,
      'jobs',
      'utilization',
      'makespan',
      'turnaround',
      'wait',
      'audit',
      'log',
    ],
    rows: results.map((result) => [
      ...columns.map((name) => optionText(result.cell, name)),
      ...notPlaced.of(result),
      ...figuresOfRun(result),
    ]),
  }
}

function figuresOfRun({ totals, metrics, audit, log }: CellResult): ReadonlyArray<string> {
  return [
    count(totals.finished),
    value(metrics.utilization.steady, 'utilization.steady'),
    value(metrics.makespan, 'makespan'),
    value(metrics.turnaround.mean, 'turnaround.mean'),
    value(metrics.wait.mean, 'wait.mean'),
    audit === null ? '-' : audit.ok ? 'ok' : 'FAILED',
    log.sha256.slice(0, 12),
  ]
}

function value(mean: number | null, metric: string): string {
  return intervalText(mean === null ? undefined : { mean, half: null, count: 1 }, unitOf(metric))
}

function htmlTable({ heading, rows }: Rows): string {
  const row = (cells: ReadonlyArray<string>, tag: string): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeMarkup(cell)}</${tag}>`).join('')}</tr>`
  return `<div class="table"><table><thead>${row(heading, 'th')}</thead><tbody>
${rows.map((cells) => row(cells, 'td')).join('\n')}
</tbody></table></div>`
}

/** Escapes text for HTML and SVG. Replaces invisible characters by their escapes, such as `\u200b`. */
function escapeMarkup(text: string): string {
  return visibleOnOneLine(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

const style = `body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color:#1a1a1a;background:#fff}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}figure{margin:1rem 0;overflow-x:auto}.table{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.9rem}th,td{padding:.25rem .7rem;text-align:left;border-bottom:1px solid #ddd;white-space:nowrap}th{border-color:#888}`
