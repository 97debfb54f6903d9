import type { Comparison, Unit } from './comparison.ts'
import type { Table } from './report.ts'

/** The text that a command printed, read back into a report. */
export interface StoredOutput {
  /** The command in a user's spelling: `cloister reproduce jigsaw-fig6`. */
  readonly command: string
  /** Name, title and source of the experiment, or the whole text of a command that prints no table. Often several lines. */
  readonly head: string
  readonly tables: ReadonlyArray<StoredTable>
  /** Comparisons with the printed digits. `difference` is the printed difference, which has rounded digits of its own. */
  readonly comparisons: ReadonlyArray<Comparison>
  /** Line of the first comparison in the text after the command, from 0; -1 without comparisons. */
  readonly comparisonsAt: number
  /** Lines after the tables: the number of statements without a value of ours, and the names of charts. */
  readonly remarks: ReadonlyArray<string>
}

/** A printed table, with the line of the table's first row in the text after the command, from 0. */
export interface StoredTable extends Table {
  readonly at: number
}

/**
 * Reads a stored output: the command after `$ ` in the first line, then the printed text.
 *
 * @throws Error if the first line is no command, or if a cell of the comparisons has no known form
 */
export function readOutput(text: string): StoredOutput {
  const end = text.indexOf('\n')
  if (!text.startsWith('$ ') || end === -1) throw new Error(`expected "$ command" first, found ${text.slice(0, 40)}`)
  const paragraphs = paragraphsOf(text.slice(end + 1))
  const tables: Array<StoredTable> = []
  const remarks: Array<string> = []
  let comparisons: ReadonlyArray<Comparison> = []
  let comparisonsAt = -1
  let head = ''
  for (const [index, { lines, at }] of paragraphs.entries()) {
    if (isTable(lines)) {
      const { heading, rows } = cellsOf(lines)
      const title = paragraphs[index - 1]
      if (heading[1] === 'what the paper states') {
        comparisons = rows.map(comparisonOf)
        comparisonsAt = at + 2
      } else tables.push({ title: title.lines.join('\n'), heading, rows, at: at + 2 })
    } else if (index + 1 < paragraphs.length && isTitled(paragraphs[index + 1].lines)) continue
    else if (tables.length + comparisons.length === 0) head = lines.join('\n')
    else remarks.push(lines.join('\n'))
  }
  return { command: text.slice(2, end), head, tables, comparisons, comparisonsAt, remarks }
}

/** Reads the texts of several stored outputs, one behind the other. @throws Error as `readOutput` */
export function readOutputs(text: string): ReadonlyArray<StoredOutput> {
  return text.split(/^(?=\$ cloister )/m).map(readOutput)
}

interface Paragraph {
  readonly lines: ReadonlyArray<string>
  /** Number of the first line, from 0. */
  readonly at: number
}

function paragraphsOf(text: string): ReadonlyArray<Paragraph> {
  let at = 0
  return text
    .trimEnd()
    .split('\n\n')
    .map((paragraph) => {
      const lines = paragraph.split('\n')
      const first = at
      at += lines.length + 1
      return { lines, at: first }
    })
}

function isTable(lines: ReadonlyArray<string>): boolean {
  return lines.length > 1 && /^-+( {2}-+)*$/.test(lines[1])
}

/** Tests that lines are a table with a title before the table. Comparisons have no title. */
function isTitled(lines: ReadonlyArray<string>): boolean {
  return isTable(lines) && !/^ *section +what the paper states/.test(lines[0])
}

/** Returns the cells of a printed table. The dashes below the heading have the width of the columns. */
function cellsOf([heading, dashes, ...rows]: ReadonlyArray<string>): Pick<Table, 'heading' | 'rows'> {
  const columns = [...dashes.matchAll(/-+/g)].map(({ index, 0: { length } }) => [index, index + length] as const)
  const cells = (line: string): ReadonlyArray<string> => columns.map(([from, to]) => line.slice(from, to).trim())
  return { heading: cells(heading), rows: rows.map(cells) }
}

function comparisonOf([section, what, paper, here, difference]: ReadonlyArray<string>): Comparison {
  const unit = unitOf(here)
  if (unit === 'statement') return { section, what, unit, paper: null, ours: here === 'holds', difference: null }
  const [low, high = low] = paper.startsWith('under ') ? ['0', paper.slice('under '.length)] : paper.split(' to ')
  return {
    section,
    what,
    unit,
    paper: { low: valueOf(low, unit), high: valueOf(high, unit) },
    ours: valueOf(here, unit),
    difference: differenceOf(difference, unit),
  }
}

function unitOf(here: string): Unit {
  if (here === 'holds' || here === 'does not hold') return 'statement'
  if (here.endsWith(' %')) return 'share'
  if (here.endsWith(' points')) return 'points'
  if (here.endsWith(' h')) return 'hours'
  if (here.endsWith(' µs')) return 'seconds'
  return /\.\d{3}$/.test(here) ? 'ratio' : 'count'
}

const scales: Readonly<Partial<Record<Unit, number>>> = { share: 100, points: 100, seconds: 1e6 }

function valueOf(text: string, unit: Unit): number {
  return numberOf(text.replace(/ .*$/, '')) / (scales[unit] ?? 1)
}

function differenceOf(text: string, unit: Unit): number {
  if (unit !== 'seconds') return numberOf(text) / (unit === 'share' || unit === 'points' ? 100 : 1)
  return text.startsWith('1/') ? 1 / numberOf(text.slice(2)) : numberOf(text.replace('x ', ''))
}

function numberOf(text: string): number {
  const value = Number(text.replaceAll(',', ''))
  if (text === '' || Number.isNaN(value)) throw new Error(`expected a number in a comparison, found "${text}"`)
  return value
}
