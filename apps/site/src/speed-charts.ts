// Draws the stored times of `cloister bench --append`: a chart for each case, and in a chart a line for each machine.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { drawFigure, type Figure, type Key, type Place, seriesColors } from '@cloister/figures'
import * as Schema from 'effect/Schema'
import { parseHTML } from 'linkedom'
import { chartOfParts, key } from './paper-charts.ts'
import { html } from './paper-pages.ts'
import { resultTable } from './paper-tables.ts'

/** Stored series, a path from the repository's root. Its lines are in any order. */
export const SERIES = 'docs/figures/speed-series.ndjson'

/** Times per job in µs. */
interface Spread {
  readonly median: number
  readonly least: number
  readonly largest: number
}
interface Times {
  readonly withoutLog: Spread
  readonly withLog: Spread
}

/** Line of the series, as `apps/cli/src/results/speed-series.ts` describes it. */
export interface SpeedLine {
  readonly commit: string
  readonly date: string
  readonly processor: string
  readonly cores: number
  readonly load?: number
  readonly node: string
  readonly runs: number
  readonly trace: string
  readonly topology: string
  readonly policy: string
  readonly options: string
  readonly cold: Times
  readonly warm?: Times
}

/** Returns the section with the charts and the table of the stored series, as Markdown. */
export async function speedSection(root: string): Promise<string> {
  const { SpeedLine: schema } = (await import(
    pathToFileURL(join(root, 'apps/cli/src/results/speed-series.ts')).href
  )) as { readonly SpeedLine: Schema.Codec<SpeedLine> }
  const decode = Schema.decodeUnknownSync(schema)
  const lines = readFileSync(join(root, SERIES), 'utf8').trimEnd().split('\n')
  const about = 'A [JSON Schema](../schemas/speed-series.schema.json) describes a line of the file.'
  return `\n${about}\n\n${html([speedCharts(lines.map((line) => decode(JSON.parse(line))))])}\n`
}

/** Returns the charts and the table of a series as HTML. */
export function speedCharts(all: ReadonlyArray<SpeedLine>): string {
  const lines = newest(all)
  const builds = [...new Set(lines.map(({ commit }) => commit))]
  const machines = [...new Set(lines.map(machineOf))]
  const keys = machines.map((name, at) => ({ name, color: seriesColors[at % seriesColors.length] }))
  const legend = [
    ...keys.map(({ name, color }) =>
      key(`<circle r="5" fill="${color}"/>`, `${name}${busyNote(lines.filter((line) => machineOf(line) === name))}`),
    ),
    '<span>full points: cold; empty points: warm; bars: from the least to the largest time</span>',
  ]
  const cases = [...Map.groupBy(lines, caseOf)]
  const { document } = parseHTML('<!doctype html><html><body></body></html>')
  const pictures = cases.map(([name, own]) =>
    onPage(drawFigure(document, { width: 342, height: 210, type: 11 }, caseFigure(name, own, builds, keys))),
  )
  const title = 'Time per job in µs, without a log, by commit'
  const what = `${cases.length} charts of ${builds.length} commits. The table below the charts has the values.`
  return chartOfParts(title, what, legend, pictures) + resultTable(tableOf(lines))
}

/** Gives a picture for paper the colours of the page. */
function onPage(picture: string): string {
  return picture.replaceAll('"#222"', '"currentColor"').replaceAll('"white"', '"var(--vp-c-bg)"')
}

/** Returns the lines in the order of the commits; of several lines of a case, a commit and a machine the last one. */
function newest(lines: ReadonlyArray<SpeedLine>): ReadonlyArray<SpeedLine> {
  const last = new Map(lines.map((line) => [[caseOf(line), line.commit, machineOf(line)].join('\n'), line]))
  return [...last.values()].sort((a, b) => Date.parse(a.date) - Date.parse(b.date))
}

function machineOf({ processor, cores }: SpeedLine): string {
  return `${processor}, ${cores} ${cores === 1 ? 'core' : 'cores'}`
}

function caseOf({ policy, trace, topology, options }: SpeedLine): string {
  return `${policy}, ${trace} on ${topology}${options === '' ? '' : `, ${options}`}`
}

/** Returns a note if other programs used more than a tenth of the processors during a measurement. */
function busyNote(lines: ReadonlyArray<SpeedLine>): string {
  const largest = Math.max(...lines.map(({ load = 0, cores }) => load / cores))
  return largest > 0.1 ? ` (shared with other programs: up to ${largest.toFixed(1)} for each core)` : ''
}

/** Returns the chart of a case. Only times of the same machine are joined by a line. */
function caseFigure(
  title: string,
  lines: ReadonlyArray<SpeedLine>,
  builds: ReadonlyArray<string>,
  machines: ReadonlyArray<{ readonly name: string; readonly color: string }>,
): Figure {
  const rows = (kind: 'cold' | 'warm', place: (spread: Spread) => Omit<Place, 'x' | 'key'>): ReadonlyArray<Place> =>
    lines.flatMap((line) => {
      const spread = line[kind]?.withoutLog
      if (spread === undefined) return []
      const text = `${line.commit}, ${machineOf(line)}, ${kind}: ${spread.median} µs`
      return [{ x: builds.indexOf(line.commit), key: machineOf(line), text, ...place(spread) }]
    })
  const median = ({ median: y }: Spread): { readonly y: number } => ({ y })
  const range = ({ least, largest }: Spread): { readonly y: number; readonly y2: number } => ({ y: least, y2: largest })
  return {
    x: {
      label: 'commit',
      field: 'commit',
      scale: 'linear',
      domain: [-0.5, builds.length - 0.5],
      ticks: ticksOf(builds),
    },
    panels: [
      {
        title,
        y: { label: 'µs a job', field: 'µs', scale: 'linear', hasZero: true },
        marks: (['cold', 'warm'] as const).flatMap((kind) => [
          { shape: 'rule', rows: rows(kind, range) },
          { shape: 'line', rows: rows(kind, median) },
          { shape: kind === 'cold' ? 'point' : 'ring', rows: rows(kind, median) },
        ]),
      },
    ],
    keys: machines.map((machine): Key => ({ ...machine, isNamed: false })),
    keyField: 'machine',
    data: [],
  }
}

/** Number of commits whose names fit below a chart. */
const NAMED = 5

/** Returns a tick for each commit, with the names of some, the last one among them. */
function ticksOf(builds: ReadonlyArray<string>): NonNullable<Figure['x']['ticks']> {
  const each = Math.ceil(builds.length / NAMED)
  return builds.map((commit, at) => ({ at, label: (builds.length - 1 - at) % each === 0 ? commit.slice(0, 7) : '' }))
}

const HEADING = [
  'commit',
  'date',
  'case',
  'computer',
  'Node',
  'load',
  'cold',
  'cold, with log',
  'warm',
  'warm, with log',
]

function tableOf(lines: ReadonlyArray<SpeedLine>): Parameters<typeof resultTable>[0] {
  const time = (spread: Spread | undefined): string =>
    spread === undefined
      ? ''
      : `${spread.median.toFixed(1)} (${spread.least.toFixed(1)} to ${spread.largest.toFixed(1)})`
  const rows = lines
    .toReversed()
    .map((line) => [
      line.commit.slice(0, 7),
      line.date.slice(0, 10),
      caseOf(line),
      machineOf(line),
      line.node,
      line.load?.toFixed(1) ?? '',
      ...[line.cold.withoutLog, line.cold.withLog, line.warm?.withoutLog, line.warm?.withLog].map(time),
    ])
  return { title: 'Median time per job in µs, and the least and largest time', heading: HEADING, rows }
}
