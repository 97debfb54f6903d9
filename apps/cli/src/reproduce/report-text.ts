import { comparisonTable, type Report } from '@cloister/reproduce'
import { table } from '../terminal/table.ts'

/** Returns the tables and comparisons of the report of a reproduction as text for users. */
export function reportText({ tables, comparisons }: Report): string {
  const { heading, rows, note } = comparisonTable(comparisons)
  return [
    ...tables
      .filter((each) => each.rows.length > 0)
      .map((each) => `${each.title}\n\n${table(each.heading, each.rows)}`),
    ...(rows.length === 0 ? [] : [table(heading, rows)]),
    ...(note === undefined ? [] : [note]),
  ].join('\n\n')
}
