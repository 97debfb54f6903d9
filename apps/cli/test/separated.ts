/** Prints records like `squeue` and `sacct`: the separator from the arguments stands behind each value. */
export function separated(args: ReadonlyArray<string>, records: ReadonlyArray<ReadonlyArray<string>>): string {
  const [, separator] = /--(?:Format=\w+:|delimiter=)(\|[0-9a-f]+\|)/.exec(args.join(' '))!
  return records.map((values) => `${values.map((value) => `${value}${separator}`).join('')}\n`).join('')
}
