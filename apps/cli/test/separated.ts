/** Prints records as `squeue` and `sacct` do: behind each value stands the separator that the arguments ask for. */
export function separated(args: ReadonlyArray<string>, records: ReadonlyArray<ReadonlyArray<string>>): string {
  const [, separator] = /--(?:Format=\w+:|delimiter=)(\|[0-9a-f]+\|)/.exec(args.join(' '))!
  return records.map((values) => `${values.map((value) => `${value}${separator}`).join('')}\n`).join('')
}
