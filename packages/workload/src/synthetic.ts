import { SpecError } from './spec-error.ts'
import { decimal } from './decimal.ts'
import { makeWorkload } from './job-list.ts'
import { exponential, integerBetween, uniformIntegers } from './random.ts'
import type { Job, Workload } from './workload.ts'

/** The synthetic traces of the Jigsaw paper (HPDC'21, section 5.1): Synth-16, Synth-22 and Synth-28 are 10,000 jobs of mean 16, 22, 28. */
export interface SyntheticOptions {
  /** Mean size in nodes, before rounding. */
  readonly mean: number
  readonly count: number
  /** A 32-bit integer of at least 0. */
  readonly seed: number
}

const shortestRunTimeSeconds = 20
const longestRunTimeSeconds = 3000

/**
 * Generates such a trace: sizes exponentially distributed (rounded to whole nodes, at least 1), run times uniform from 20 to 3000 whole
 * seconds, no estimates, all jobs at time 0. The same on every machine, and a shorter trace is the beginning of a longer one.
 */
export function generateSynthetic(options: SyntheticOptions): Workload {
  return makeWorkload([...syntheticJobs(options)], { name: formatSynthetic(options), filter: '' })
}

/** The jobs of such a trace, one after the other: millions of them need not be held at once. */
export function* syntheticJobs({ mean, count, seed }: SyntheticOptions): Generator<Job, void> {
  const uniform = uniformIntegers(seed)
  for (let number = 1; number <= count; number++) {
    const size = Math.max(1, Math.round(mean * exponential(uniform)))
    const runTime = integerBetween(shortestRunTimeSeconds, longestRunTimeSeconds, uniform) * 1000
    yield { id: String(number), submit: 0, size, runTime, walltime: undefined }
  }
}

const expected = `'synth:MEAN[:COUNT[:SEED]]': a mean size of 1 to 100000 nodes, 1 to 10000000 jobs (10000 unless given), a seed of 0 to 4294967295 (1 unless given)`

/**
 * Reads `synth:16`, `synth:16:5000` or `synth:16:5000:7`: mean size, number of jobs, seed.
 *
 * @throws SpecError
 */
export function parseSynthetic(text: string): SyntheticOptions {
  const [, mean, count = '10000', seed = '1'] =
    /^synth:(\d{1,6}(?:\.\d{1,3})?)(?::(\d{1,8})(?::(\d{1,10}))?)?$/.exec(text) ?? []
  const options = { mean: Number(mean), count: Number(count), seed: Number(seed) }
  const isInRange =
    options.mean >= 1 &&
    options.mean <= 100_000 &&
    options.count >= 1 &&
    options.count <= 10_000_000 &&
    options.seed <= 0xffff_ffff
  if (mean === undefined || !isInRange) throw new SpecError('trace', text, expected)
  return options
}

/** Canonical spec; leaves out what is as by default. */
export function formatSynthetic({ mean, count, seed }: SyntheticOptions): string {
  const parts = seed !== 1 ? [count, seed] : count !== 10_000 ? [count] : []
  return ['synth', decimal(mean), ...parts].join(':')
}
