/** Error for a table, or for an option that names columns of a table. */
export class TableError extends Error {
  readonly _tag = 'TableError' as const
  override readonly name: string = 'TableError'
  /** Line of the table, from 1; undefined for an error in an option. */
  readonly line: number | undefined

  constructor(problem: string, line?: number) {
    super(problem)
    this.line = line
  }
}

/**
 * Reads an option that gives columns to names: `submit=submitted_at,run=duration_s`. A part without `=` is one more
 * column of the name before it: `host=ip,levels=DSW,PSW,ASW` has three columns for `levels`.
 *
 * @param names names that the option may have
 * @throws TableError with the wrong part, for an unknown or repeated name, and for a name without a column
 */
export function parseColumns(text: string, names: ReadonlyArray<string>): ReadonlyMap<string, ReadonlyArray<string>> {
  const columns = new Map<string, string[]>()
  let last: string[] | undefined
  for (const part of text.split(',')) {
    const [, name, first] = /^([^=]*)=(.*)$/s.exec(part) ?? []
    const column = first ?? part
    if (name === undefined && last === undefined)
      throw new TableError(`expected name=column, found ${JSON.stringify(part)}`)
    if (column === '') throw new TableError(`expected a column after ${name === undefined ? 'the comma' : `${name}=`}`)
    if (name === undefined) {
      last!.push(column)
      continue
    }
    if (!names.includes(name))
      throw new TableError(`unknown name ${JSON.stringify(name)}; known are ${names.join(', ')}`)
    if (columns.has(name)) throw new TableError(`${name}= occurs twice`)
    columns.set(name, (last = [column]))
  }
  return columns
}

/** Rows of a table with their lines, and the names of the columns. */
export interface Table {
  readonly columns: ReadonlyArray<string>
  /** Cells of each row, in the order of `columns`, and the line of the row's begin, from 1. */
  readonly rows: ReadonlyArray<{ readonly line: number; readonly cells: ReadonlyArray<string> }>
}

/**
 * Reads a table in CSV (RFC 4180): a line of column names, then a line for each row. A cell in quotes may have commas,
 * line ends, and doubled quotes. Empty lines are skipped.
 *
 * @throws TableError for a table without columns, a repeated column, an open quote, or a row with another number of cells
 */
export function parseTable(text: string): Table {
  const [header, ...rows] = csvRows(text.replace(/^\uFEFF/, ''))
  if (header === undefined) throw new TableError('expected a line of column names', 1)
  const columns = header.cells.map((cell) => cell.trim())
  for (const [at, column] of columns.entries()) {
    if (column === '') throw new TableError(`column ${at + 1} has no name`, header.line)
    if (columns.indexOf(column) !== at) throw new TableError(`two columns are called ${column}`, header.line)
  }
  for (const { line, cells } of rows)
    if (cells.length !== columns.length)
      throw new TableError(`expected ${columns.length} cells, one a column, found ${cells.length}`, line)
  return { columns, rows }
}

const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y

function csvRows(text: string): Array<{ readonly line: number; readonly cells: string[] }> {
  const rows: Array<{ readonly line: number; readonly cells: string[] }> = []
  let line = 1
  let cells: string[] = []
  let first = line
  CELL.lastIndex = 0
  while (CELL.lastIndex < text.length || cells.length > 0) {
    const found = CELL.exec(text)
    if (found === null)
      throw new TableError('a cell with a quote needs quotes around it, and each of its quotes twice', line)
    const [all, quoted, plain, end] = found
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    line += all.split('\n').length - 1
    if (end === ',') continue
    if (cells.length > 1 || cells[0].trim() !== '') rows.push({ line: first, cells })
    cells = []
    first = line
  }
  return rows
}
