// Writes the tables of the papers' pages as HTML.
import { type Claim, type Comparison, comparisonTable, type StoredTable, verdictOf } from '@cloister/reproduce'
import { escaped } from './paper-charts.ts'

/** Rows of a long table that a reader sees before the reader opens the rest. */
const SHOWN_COMPARISONS = 3
const SHOWN_CLAIMS = 5
const SHOWN_ROWS = 20
const COMPARED = ['verdict', 'paper', 'here', 'difference']

/** Returns a table of a stored output with its title. Of a long table readers open the rows after the first ten. */
export function resultTable({ title, heading, rows }: Omit<StoredTable, 'at'>): string {
  return folded(
    title,
    heading,
    rows.map((row) => row.map(escaped)),
    rows.length > SHOWN_ROWS ? 10 : SHOWN_ROWS,
  )
}

/** Returns the table of comparisons with a paper, with a verdict in words. Readers open the rows after the first three. */
export function comparisons(all: ReadonlyArray<Comparison>): string {
  const rows = comparisonTable(all).rows.map(([section, what, paper, ours, difference], at) => [
    ...[section, what].map(escaped),
    mark(verdictOf(all[at]) ?? ''),
    ...[paper, all[at].unit === 'statement' ? '' : ours, difference].map(escaped),
  ])
  return folded('Beside the paper', ['section', 'the paper states', ...COMPARED], rows, SHOWN_COMPARISONS)
}

/** Returns the table of verdicts at the top of a paper's page. Readers open the claims after the first five. */
export function verdicts(claims: ReadonlyArray<Claim>): string {
  const rows = claims.map(({ section, claim, paper, ours, verdict, difference }) => [
    `<small>${escaped(section)}</small> ${escaped(claim)}`,
    mark(verdict),
    ...[paper, ours, difference].map(escaped),
  ])
  return folded('Verdicts', ['claim of the paper', ...COMPARED], rows, SHOWN_CLAIMS)
}

function mark(verdict: string): string {
  const [, held, of = held] = /^holds(?: in (\d+) of (\d+))?$/.exec(verdict) ?? []
  const kind = verdict.startsWith('holds') ? (held === of ? 'holds' : 'in-part') : 'differs'
  return `<span class="verdict ${kind}">${verdict}</span>`
}

/** Returns a table whose rows after the first `shown` are in a block that readers open. Cells are HTML. Empty columns are left out. */
function folded(
  title: string,
  allHeadings: ReadonlyArray<string>,
  allRows: ReadonlyArray<ReadonlyArray<string>>,
  shown: number,
): string {
  const isFilled = allHeadings.map((_, column) => allRows.some((row) => row[column] !== ''))
  const [heading, ...rows] = [allHeadings, ...allRows].map((row) => row.filter((__, column) => isFilled[column]))
  const kinds = heading.map((_, column) => kindOf(rows.map((row) => row[column])))
  const cellOf = (cell: string, at: number): string =>
    `<td${kinds[at]} data-name="${escaped(heading[at])}">${kinds[at] === NUMBER ? unbroken(cell).replace(/\(.*\)/, '<small>$&</small>') : cell}</td>`
  // An empty heading would be announced by screen readers.
  const names = heading.map((name, at) =>
    name === '' ? '<td></td>' : `<th scope="col"${kinds[at]}>${escaped(name)}</th>`,
  )
  const table = (part: ReadonlyArray<ReadonlyArray<string>>, name: string): string =>
    `<div class="wide" tabindex="0" role="group" aria-label="${escaped(name)}"><table${sizeOf(heading, rows, kinds)}><thead><tr>${names.join('')}</tr></thead><tbody>${part.map((row) => `<tr>${row.map(cellOf).join('')}</tr>`).join('')}</tbody></table></div>`
  const rest = rows.slice(shown)
  const more =
    rest.length === 0
      ? ''
      : `<details><summary>${rest.length} more ${rest.length === 1 ? 'row' : 'rows'}</summary>${table(rest, `${title}, further rows`)}</details>`
  return `<div class="table"><p class="title">${escaped(title)}</p>${table(rows.slice(0, shown), title)}${more}</div>`
}

/** Returns the attribute of a table with many or long cells, whose text is smaller. */
function sizeOf(
  heading: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  kinds: ReadonlyArray<string>,
): string {
  const narrowest = heading.map((name, at) => {
    if (kinds[at] === WORDS) return 18
    const cells = rows.map((row) => (kinds[at] === NUMBER || at === 0 ? unbroken(row[at]) : row[at]))
    return Math.max(...[name, ...cells].flatMap((cell) => cell.split(' ')).map(({ length }) => length))
  })
  const letters = narrowest.reduce((sum, length) => sum + length + 1, 0)
  return letters > 80 ? ' class="denser"' : letters > 62 ? ' class="dense"' : ''
}

const WORDS = ' class="words"'
const NUMBER = ' class="number"'

/** Returns a number whose line may break only before "to" and before parentheses. */
function unbroken(cell: string): string {
  return cell
    .replaceAll(/\(.*\)/g, (range) => range.replaceAll(' ', '\u00a0'))
    .replaceAll(/ (?=[%µa-z])(?!to )|(?<=^x|to|±|under) /g, '\u00a0')
}

/** Returns the attribute of the cells of a column: numbers stand right, names on one line, and sentences are wide. */
function kindOf(cells: ReadonlyArray<string>): string {
  if (cells.every(isNumeric)) return NUMBER
  const longest = Math.max(...cells.map((cell) => cell.replaceAll(/<[^>]*>/g, '').length))
  return longest > 24 ? WORDS : ' class="name"'
}

/** Tests that a cell is a number, with a unit or a range, or empty. */
function isNumeric(cell: string): boolean {
  return /^(|-|(x |under )?[-+]?[\d,.]+(e[+-]\d+)?( to [-+]?[\d,.]+)?( ?(%|µs|min|h|s|points))?( \(.*\)| ± [\d.]+( %)?)?|1\/\d+|none|\d+ to [\d,]+ s)$/.test(
    cell,
  )
}
