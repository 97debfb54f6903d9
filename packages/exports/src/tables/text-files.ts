import type { Column, TableData, Value } from './table.ts'

/**
 * Yields a table as comma-separated values (RFC 4180), after a line of column names. A missing value is empty, and an
 * empty text is `""`. A timestamp is in ISO 8601, in UTC.
 */
export function* csvOf({ columns, batches }: TableData): Generator<string, void> {
  yield `${columns.map(({ name }) => csvValue(name)).join(',')}\n`
  yield* linesOf({ columns, batches }, (values) => values.map(csvValue).join(','))
}

/** Yields a table as lines of JSON. A missing value is null. A timestamp is a text in ISO 8601, in UTC. */
export function* ndjsonOf({ columns, batches }: TableData): Generator<string, void> {
  const keys = columns.map(({ name }) => `${JSON.stringify(name)}:`)
  const fields = (values: ReadonlyArray<Value>): string =>
    values.map((value, at) => keys[at] + JSON.stringify(value)).join(',')
  yield* linesOf({ columns, batches }, (values) => `{${fields(values)}}`)
}

/** Yields a line for each row. */
function* linesOf(
  { columns, batches }: TableData,
  lineOf: (values: ReadonlyArray<Value>) => string,
): Generator<string, void> {
  const shown = columns.map(spelling)
  for (const { rows, values } of batches) {
    const batch = columns.map((_, at) => values(at))
    for (let row = 0; row < rows; row++) yield `${lineOf(batch.map((of, at) => shown[at](of[row])))}\n`
  }
}

function spelling({ type }: Column): (value: Value) => Value {
  if (type !== 'timestamp') return (value) => value
  // oxlint-disable-next-line no-restricted-globals -- spells a given time, and reads no clock
  return (value) => (value === null ? null : new Date(value as number).toISOString())
}

/** Returns a value of a CSV file, quoted (RFC 4180) if a reader would otherwise read another value; empty for null. */
export function csvValue(value: Value): string {
  if (typeof value !== 'string') return value === null ? '' : String(value)
  return value === '' || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}
