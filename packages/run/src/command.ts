import { flagOf, type RunOptionName, runOptionNames } from './options.ts'
import { type GivenSpec, optionOf, type RunSpec } from './spec.ts'

/** The words after `cloister simulate` that say the same as a description, each as one argument. */
export function commandWords(spec: RunSpec): ReadonlyArray<string> {
  return runOptionNames.flatMap((name) =>
    JSON.stringify(spec[name]) === JSON.stringify(optionOf(name).byDefault) ? [] : wordsOf(name, spec[name]),
  )
}

/** The words that give all of these options, also those that are as by default. */
export function optionWords(options: Partial<GivenSpec>): ReadonlyArray<string> {
  return runOptionNames.flatMap((name) => wordsOf(name, options[name]))
}

function wordsOf(name: RunOptionName, value: unknown): ReadonlyArray<string> {
  if (value === undefined) return []
  const flag = `--${flagOf(name)}`
  if (optionOf(name).kind === 'switch') return value === true ? [flag] : []
  return [flag, typeof value === 'string' ? value : JSON.stringify(value)]
}

/** The same as text that can be pasted into a shell. */
export function formatCommand(spec: RunSpec): string {
  return commandWords(spec).map(quoteWord).join(' ')
}

/** A word as a POSIX shell reads it. */
export function quoteWord(word: string): string {
  return /^[\w./:,%=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** A description in a few words, what is as by default left out: `synth:16, radix:16, jigsaw, easy:50, seed 7`. */
export function describeSpec({ trace, topology, policy, config, queue, ...rest }: RunSpec): string {
  const more = Object.entries(rest).map(([name, value]) => `${name} ${String(value)}`)
  const withConfig = config === undefined ? policy : `${policy} ${JSON.stringify(config)}`
  return [trace, topology, withConfig, ...(queue === undefined ? [] : [queue]), ...more].join(', ')
}
