// Reads the values of claims in stored outputs. Places name labels, not lines, so a value follows its stored output.
import { mean } from '../report/numbers.ts'
import type { StoredOutput } from '../report/stored-output.ts'

/** Place of a value in the stored outputs. */
export type Place =
  /** A comparison with a paper. `command`: words after `cloister`; `statement`: text of `what the paper states`. */
  | { readonly command: string; readonly statement: string; readonly section?: string }
  /** A cell of a table. `row`: the first cells of the row, joined by ` / `. */
  | { readonly command: string; readonly table: string; readonly row: string; readonly column: string }
  | { readonly meanOf: ReadonlyArray<Place> }
  | { readonly less: readonly [Place, Place] }
  | { readonly over: readonly [Place, Place] }

/** Value at a place; `true` or `false` for a statement. `paper`: the paper's range if the output has it. */
export interface Found {
  readonly value: number | boolean
  readonly paper?: { readonly low: number; readonly high: number } | null
}

/**
 * Returns the value at a place, in units without prefixes (shares of 1, seconds).
 *
 * @throws Error with the place if no stored output, or more than one comparison or row, has the place
 */
export function findValue(place: Place, outputs: ReadonlyArray<StoredOutput>): Found {
  const number = (each: Place): number => Number(findValue(each, outputs).value)
  if ('meanOf' in place) return { value: mean(place.meanOf.map(number)) }
  if ('less' in place) return { value: number(place.less[0]) - number(place.less[1]) }
  if ('over' in place) return { value: number(place.over[0]) / number(place.over[1]) }
  const candidates = wholeOutputs(place.command, outputs)
  const found = candidates.map((output) => ('statement' in place ? ofComparison(place, output) : ofCell(place, output)))
  const [values = []] = found.filter((each) => each.length > 0)
  if (values.length === 1) return values[0]
  throw new Error(
    `${JSON.stringify(place)}: found ${values.length} values in ${candidates.length} stored outputs, expected one`,
  )
}

/** Returns the commands of stored outputs that a place names. */
export function commandsOf(place: Place): ReadonlyArray<string> {
  if ('command' in place) return [place.command]
  return [...('meanOf' in place ? place.meanOf : 'less' in place ? place.less : place.over)].flatMap(commandsOf)
}

/** Options that choose whole job logs, run all routings of a study, or measure times once. */
const WHOLE = /^( --(traces [\w,-]+|routing all|processes 1))*$/

/** Returns the stored outputs of a command on whole job logs, the output with the fewest options first. */
export function wholeOutputs(command: string, outputs: ReadonlyArray<StoredOutput>): ReadonlyArray<StoredOutput> {
  const full = `cloister ${command}`
  return outputs
    .filter((each) => each.command.startsWith(full) && WHOLE.test(each.command.slice(full.length)))
    .toSorted((a, b) => a.command.length - b.command.length)
}

function ofComparison(
  place: { readonly statement: string; readonly section?: string },
  output: StoredOutput,
): ReadonlyArray<Found> {
  return output.comparisons
    .filter(({ what, section }) => what === place.statement && section === (place.section ?? section))
    .map(({ ours, paper }) => ({ value: ours!, paper }))
}

function ofCell(
  { table, row, column }: { readonly table: string; readonly row: string; readonly column: string },
  { tables }: StoredOutput,
): ReadonlyArray<Found> {
  return tables
    .filter(({ title }) => title === table)
    .flatMap(({ heading, rows }) => {
      const at = columnOf(heading, column)
      return rows
        .filter((cellsOfRow) => cellsOfRow.some((_, last) => cellsOfRow.slice(0, last).join(' / ') === row))
        .map((cellsOfRow) => ({ value: numberOf(cellsOfRow[at] ?? '') }))
    })
}

/** Returns the number of a column; `A, B` is the column B directly behind the column A. */
function columnOf(heading: ReadonlyArray<string>, column: string): number {
  if (heading.includes(column)) return heading.indexOf(column)
  const [before, name] = column.split(', ')
  const at = heading.indexOf(before) + 1
  return at > 0 && heading[at] === name ? at : -1
}

/** Returns the first number of a cell: 0.954 of `95.4 %`, 0.092 of `9.2 % (7.8 to 10.2)`, 7.67 of `x 7.67`. */
function numberOf(cell: string): number {
  const [, number, unit] = /^(?:x )?(-?[\d,]+(?:\.\d+)?(?:e[+-]?\d+)?)(?: (%|µs))?/.exec(cell) ?? []
  if (number === undefined) throw new Error(`found the cell ${JSON.stringify(cell)}, expected a number`)
  return Number(number.replaceAll(',', '')) / (unit === '%' ? 100 : unit === 'µs' ? 1e6 : 1)
}
