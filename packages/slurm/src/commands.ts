import { accountingReader, type AccountingRow, sacctFields, TraceError } from '@cloister/trace-io'

/**
 * Returns a separator for the values in the output of a command. A user may write bars and line ends into accounts,
 * features, licenses and comments, but cannot write this separator, because its secret is new for each command.
 *
 * @param secret letters and digits, drawn at random for a single command
 */
export function separatorOf(secret: string): string {
  return `|${secret}|`
}

/**
 * Cuts the output of a command into records. A separator follows each value, and a line end follows each record.
 *
 * @param columns number of values in each record
 * @throws TraceError for the first record with a wrong number of values
 */
export function recordsIn(
  text: string,
  separator: string,
  columns: number,
  command: string,
): ReadonlyArray<ReadonlyArray<string>> {
  const values = text.split(separator)
  const rest = values.pop()!
  const records = Array.from({ length: Math.ceil(values.length / columns) }, (_, at) =>
    values.slice(at * columns, (at + 1) * columns),
  )
  for (const [at, record] of records.entries()) {
    const isBegun = at === 0 || /^\r?\n/.test(record[0])
    if (!isBegun || record.length !== columns) throw notARecord(command, at + 1, record, columns)
    record[0] = record[0].replace(/^\r?\n/, '')
  }
  if (rest.trim() !== '') throw notARecord(command, records.length + 1, [rest], columns)
  return records
}

function notARecord(command: string, line: number, record: ReadonlyArray<string>, columns: number): TraceError {
  return new TraceError({
    file: command,
    line,
    found: JSON.stringify(record.join(' ').trim().slice(0, 60)),
    expected: `${columns} values, each followed by the separator in the arguments of ${command}`,
  })
}

/**
 * Returns the arguments of `sacct` for `parseSacct`: jobs of all users, without steps, with every run of a requeued
 * job.
 */
export function sacctArguments(separator: string): ReadonlyArray<string> {
  return ['-a', '-X', '-D', '-p', `--delimiter=${separator}`, '--noconvert', '-o', sacctFields.join()]
}

/**
 * Parses the output of `sacct` for `sacctArguments`.
 *
 * @param separator separator in the arguments of `sacct` that gave the text
 * @throws TraceError for the first record with a wrong value, or with a wrong number of values
 */
export function parseSacct(text: string, separator: string): ReadonlyArray<AccountingRow> {
  const [names, ...records] = recordsIn(text, separator, sacctFields.length, 'sacct')
  if (names === undefined) return []
  const read = accountingReader('sacct', names)
  return records
    .map((values, at) =>
      read(
        at + 2,
        values.map((value) => value.trim()),
      ),
    )
    .filter((row) => row !== undefined)
}
