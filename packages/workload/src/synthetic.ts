import { SpecError } from './spec-error.ts'
import { decimal } from './decimal.ts'
import { makeWorkload } from './job-list.ts'
import { exponential, integerBetween, uniformIntegers } from './random.ts'
import type { Job, Workload } from './workload.ts'

/**
 * Options of a synthetic trace of the Jigsaw paper (HPDC'21, section 5.1). The traces Synth-16, Synth-22 and Synth-28
 * of the Jigsaw paper have 10,000 jobs with mean sizes of 16, 22 and 28 nodes.
 */
export interface SyntheticOptions {
  /** Mean size of the jobs in nodes, before rounding, from 1 to 100,000. */
  readonly mean: number
  readonly count: number
  /** Seed of the draws, an integer from 0 to 2^32 - 1. */
  readonly seed: number
}

const shortestRunTimeSeconds = 20
const longestRunTimeSeconds = 3000

/**
 * Generates a synthetic trace. Sizes are exponentially distributed, rounded to whole nodes, at least 1. Run times are
 * uniform from 20 to 3000 whole seconds. All jobs arrive at time 0 and have no walltime. Every machine generates the
 * same trace. A trace with a smaller `count` is the beginning of every trace with a larger `count` and the same mean
 * and seed.
 */
export function generateSynthetic(options: SyntheticOptions): Workload {
  return makeWorkload([...syntheticJobs(options)], { name: formatSynthetic(options), filter: '' })
}

/** Yields the jobs of a synthetic trace in turn, so memory need not hold millions of jobs at once. */
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
 * Reads the spec of a synthetic trace, such as `synth:16`, `synth:16:5000` or `synth:16:5000:7`: mean size in nodes,
 * number of jobs (default 10,000) and seed (default 1).
 *
 * @throws SpecError for a text that is no spec, or for a number out of range; the message gives the ranges
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

/** Returns the canonical spec of a synthetic trace without default values at the end, such as `synth:16`. */
export function formatSynthetic({ mean, count, seed }: SyntheticOptions): string {
  const parts = seed !== 1 ? [count, seed] : count !== 10_000 ? [count] : []
  return ['synth', decimal(mean), ...parts].join(':')
}
