/** Returns records as `squeue` and `sacct` print them, each value followed by the separator in the arguments. */
export function separated(args: ReadonlyArray<string>, records: ReadonlyArray<ReadonlyArray<string>>): string {
  const [, separator] = /--(?:Format=\w+:|delimiter=)(\|[0-9a-f]+\|)/.exec(args.join(' '))!
  return records.map((values) => `${values.map((value) => `${value}${separator}`).join('')}\n`).join('')
}
