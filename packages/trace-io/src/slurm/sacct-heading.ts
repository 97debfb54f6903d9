import { quote, TraceError } from '../errors.ts'
import { type AccountingField, accountingFields } from './accounting-row.ts'

/** Columns of a file of `sacct`: their number, and the index of each column that the reader uses; -1 if missing. */
export interface Heading {
  readonly columns: number
  readonly places: Readonly<Record<AccountingField, number>>
}

/** Lists of alternative columns: a file must have at least one column of each list. */
const needed = [
  ['JobID', 'JobIDRaw'],
  ['NNodes', 'ReqNodes', 'AllocNodes'],
  ['State'],
  ['Submit', 'Eligible'],
  ['Elapsed', 'ElapsedRaw', 'End'],
] as const satisfies ReadonlyArray<ReadonlyArray<AccountingField>>

const columnsNeeded = `the columns ${needed.map(([column]) => column).join(', ')} (and User, Account, Partition, JobName, Timelimit, Start if possible)`

/** Reads the column names of the first line. @throws TraceError for a missing or repeated column */
export function readHeading(file: string, line: number, names: ReadonlyArray<string>): Heading {
  const missing = needed.filter((columns) => !columns.some((column) => names.includes(column))).map(([first]) => first)
  if (missing.length > 0)
    throw new TraceError({
      file,
      line,
      found: `no column ${missing.join(', ')} among ${names.join(', ').slice(0, 200)}`,
      expected: columnsNeeded,
    })
  const seen = new Set<string>()
  for (const column of names) {
    if (seen.has(column))
      throw new TraceError({
        file,
        line,
        found: `the column ${/^\w{1,40}$/.test(column) ? column : quote(column)} twice`,
        expected: 'every column once',
      })
    seen.add(column)
  }
  const places = Object.fromEntries(accountingFields.map((field) => [field, names.indexOf(field)]))
  return { columns: names.length, places: places as Record<AccountingField, number> }
}

/** Throws the error for a file without a line of column names. */
export function noHeading(file: string): never {
  throw new TraceError({ file, line: 1, found: 'no column', expected: columnsNeeded })
}
