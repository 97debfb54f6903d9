import { byName, flag, list, number, oneOf, optional, orNull, struct, text, union } from './kinds.ts'

const QueryColumn = struct({
  name: text(),
  type: oneOf(['bool', 'int32', 'int64', 'float64', 'utf8', 'timestamp']),
  unit: text('Unit of the values, such as `s`; empty if the values have no unit.'),
  nullable: flag('True if values may be missing.'),
  meaning: text('Meaning of a value, and of a missing value.'),
  mark: optional(
    oneOf(
      ['job', 'node', 'leaf', 'pod', 'record', 'begin', 'end', 'time'],
      'Part of the run that a value names; absent if a value names no part.',
    ),
  ),
})

const answer = { query: text('Name of the query.'), columns: list(QueryColumn) }

/** Results of commands with `--json`, by command. */
export const queryResults = {
  query: union([
    struct({ queries: list(struct({ name: text(), description: text(), columns: list(QueryColumn) })) }),
    struct({
      ...answer,
      rows: list(
        byName(orNull(union([text(), number(), flag()]))),
        'Values of each row by the names of the columns; null for a missing value.',
      ),
      more: flag('True if the query has more rows.'),
    }),
    struct({ ...answer, file: text(), bytes: number(), rows: number('Number of rows in the file.') }),
  ]),
}
