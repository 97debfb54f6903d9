import { flagOf, type RunOptionName, runOptionNames } from './options.ts'
import type { GivenSpec } from './given-spec.ts'
import { optionOf, type RunSpec } from './spec.ts'

/** Returns the arguments of `cloister simulate` for a description. Options with their default value are left out. */
export function commandWords(spec: RunSpec): ReadonlyArray<string> {
  return runOptionNames.flatMap((name) =>
    JSON.stringify(spec[name]) === JSON.stringify(optionOf(name).byDefault) ? [] : wordsOf(name, spec[name]),
  )
}

/** Returns the arguments for all given options, also for default values. A switch that is off has no argument. */
export function optionWords(options: Partial<GivenSpec>): ReadonlyArray<string> {
  return runOptionNames.flatMap((name) => wordsOf(name, options[name]))
}

function wordsOf(name: RunOptionName, value: unknown): ReadonlyArray<string> {
  if (value === undefined) return []
  const flag = `--${flagOf(name)}`
  if (optionOf(name).kind === 'switch') return value === true ? [flag] : []
  return [flag, typeof value === 'string' ? value : JSON.stringify(value)]
}

/** Returns the arguments of `commandWords` as text for a POSIX shell. */
export function formatCommand(spec: RunSpec): string {
  return commandWords(spec).map(quoteWord).join(' ')
}

/** Returns an argument for a POSIX shell, in quotes if needed. */
export function quoteWord(word: string): string {
  return /^[\w./:,%=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** Returns a canonical description as one line, such as `synth:16, radix:16, jigsaw, easy:50, seed 7`. */
export function describeSpec({ trace, topology, policy, config, queue, ...rest }: RunSpec): string {
  const more = Object.entries(rest).map(([name, value]) => `${name} ${String(value)}`)
  const withConfig = config === undefined ? policy : `${policy} ${JSON.stringify(config)}`
  return [trace, topology, withConfig, ...(queue === undefined ? [] : [queue]), ...more].join(', ')
}
