import { exponential, integerBetween, uniformIntegers } from './random.ts'
import { decimal, SpecError } from './specs.ts'
import type { Job } from './job.ts'
import { makeWorkload, type Workload } from './workload.ts'

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
  /** `laas` for the rules of the generator that Zahavi et al. released with LaaS. Default: the rules of `synth:`. */
  readonly rules?: 'laas'
}

const shortestRunTimeSeconds = 20
const longestRunTimeSeconds = 3000

/**
 * Generates a synthetic trace. Sizes are exponentially distributed, rounded to whole nodes, at least 1. Run times are
 * uniform from 20 to 3000 whole seconds. All jobs arrive at time 0 and have no walltime. Every machine generates the
 * same trace. A trace with a smaller `count` is the beginning of every trace with a larger `count` and the same mean
 * and seed.
 *
 * With the rules `laas`, sizes and run times are cut off to whole numbers, as in the program `genJobsFlow` that Zahavi
 * et al. released with LaaS (ANCS 2016). A drawn size of at most 1 becomes the mean. Run times are below 3000 s.
 */
export function generateSynthetic(options: SyntheticOptions): Workload<ReadonlyArray<Job>> {
  return makeWorkload([...syntheticJobs(options)], { name: formatSynthetic(options), filter: '' })
}

/** Yields the jobs of a synthetic trace in turn, so memory need not hold millions of jobs at once. */
export function* syntheticJobs({ mean, count, seed, rules }: SyntheticOptions): Generator<Job, void> {
  const uniform = uniformIntegers(seed)
  const longest = rules === 'laas' ? longestRunTimeSeconds - 1 : longestRunTimeSeconds
  for (let number = 1; number <= count; number++) {
    const drawn = mean * exponential(uniform)
    const size = rules === 'laas' ? Math.floor(drawn <= 1 ? mean : drawn) : Math.max(1, Math.round(drawn))
    const runTime = integerBetween(shortestRunTimeSeconds, longest, uniform) * 1000
    yield { id: String(number), submit: 0, size, runTime, walltime: undefined }
  }
}

const expected = `'synth:MEAN[:COUNT[:SEED]]' or 'synth:laas:MEAN[:COUNT[:SEED]]': a mean size of 1 to 100000 nodes, 1 to 10000000 jobs (10000 unless given), a seed of 0 to 4294967295 (1 unless given)`

/**
 * Reads the spec of a synthetic trace, such as `synth:16`, `synth:16:5000` or `synth:laas:16:5000:7`: mean size in
 * nodes, number of jobs (default 10,000) and seed (default 1).
 *
 * @throws SpecError for a text that is no spec, or for a number out of range; the message gives the ranges
 */
export function parseSynthetic(text: string): SyntheticOptions {
  const [, rules, mean, count = '10000', seed = '1'] =
    /^synth:(laas:)?(\d{1,6}(?:\.\d{1,3})?)(?::(\d{1,8})(?::(\d{1,10}))?)?$/.exec(text) ?? []
  const drawn = { mean: Number(mean), count: Number(count), seed: Number(seed) }
  const options = rules === undefined ? drawn : ({ ...drawn, rules: 'laas' } as const)
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
export function formatSynthetic({ mean, count, seed, rules }: SyntheticOptions): string {
  const parts = seed !== 1 ? [count, seed] : count !== 10_000 ? [count] : []
  return ['synth', ...(rules === undefined ? [] : [rules]), decimal(mean), ...parts].join(':')
}

/**
 * Method of making another workload from the jobs of a workload, for replicates of a run on a real log: `weeks:SEED`,
 * `users:SEED` or `drop-first:JOBS`, as the package's README explains.
 *
 * Drawing weeks keeps the cycles of days and weeks, and the dependence of a job on earlier jobs (the moving-blocks
 * bootstrap of time series, in whole weeks). Drawing users keeps the habits of each user. A drawn number of weeks
 * delays each user's jobs; a delay beyond the last whole week continues at the start of the log.
 */
export type Resample =
  | { readonly kind: 'weeks' | 'users'; readonly seed: number }
  | { readonly kind: 'drop-first'; readonly jobs: number }

/** Forms of all specs of `Resample`, for help texts and errors. */
export const resampleSpecs =
  "weeks:SEED (whole weeks, drawn with replacement), users:SEED (users, drawn with replacement) or drop-first:JOBS (without the first JOBS, at least 1), such as 'weeks:7'; none is the trace itself"

/** Reads a spec of `Resample`. @throws SpecError for a text that is no spec */
export function parseResample(text: string): Resample {
  const [, kind, number = ''] = /^(weeks|users|drop-first):(\d{1,9})$/.exec(text) ?? []
  if (kind === 'weeks' || kind === 'users') return { kind, seed: Number(number) }
  if (kind === 'drop-first' && Number(number) > 0) return { kind, jobs: Number(number) }
  throw new SpecError('resample', text, resampleSpecs)
}

/** Returns the canonical spec of a method of resampling. */
export function formatResample(resample: Resample): string {
  return `${resample.kind}:${resample.kind === 'drop-first' ? resample.jobs : resample.seed}`
}

const weekMs = 7 * 86_400_000

/**
 * Returns a workload of the drawn jobs in submit order. The workload's `filter` ends with the spec of the method, such
 * as `resample=weeks:7`. The second copy of job `17` has the id `17~2`. Jobs without a user count as one user. The
 * method `weeks` omits the jobs after the last whole week; the method `users` does not delay these jobs.
 *
 * @throws SpecError for `weeks` if the log has fewer than two whole weeks, for `users` if the log has fewer than two
 *   users, and for any spec that leaves no job
 */
export function resampleWorkload(workload: Workload, resample: Resample): Workload<ReadonlyArray<Job>> {
  const { jobs: given, filter, sha256: _sha256, epoch, ...origin } = workload
  const spec = formatResample(resample)
  const all = [...given]
  // A drawn week or user meets another queue than in the log.
  const jobs = resample.kind === 'drop-first' ? all : all.map(withoutHistory)
  const drawn = resample.kind === 'drop-first' ? jobs.slice(resample.jobs) : draw(jobs, resample)
  if (drawn.length === 0) throw new SpecError('resample', spec, `a spec that leaves some of the ${jobs.length} jobs`)
  // After `drop-first`, time 0 is the submit time of the first job left. The methods `weeks` and `users` keep time 0.
  const begin = resample.kind === 'drop-first' ? drawn[0].submit : 0
  const shifted = begin === 0 ? drawn : drawn.map((job) => ({ ...job, submit: job.submit - begin }))
  return makeWorkload(shifted, {
    ...origin,
    filter: [filter, `resample=${spec}`].filter((text) => text !== '').join(','),
    ...(epoch === undefined ? {} : { epoch: (Math.round(epoch * 1000) + begin) / 1000 }),
  })
}

function withoutHistory({ recordedStart: _start, recordedWait: _wait, ...job }: Job): Job {
  return job
}

function draw(
  jobs: ReadonlyArray<Job>,
  resample: { readonly kind: 'weeks' | 'users'; readonly seed: number },
): ReadonlyArray<Job> {
  const uniform = uniformIntegers(resample.seed)
  const spec = formatResample(resample)
  const weeks = Math.floor((jobs.at(-1)!.submit - jobs[0].submit) / weekMs)
  if (resample.kind === 'weeks' && weeks < 2)
    throw new SpecError(
      'resample',
      spec,
      'a log of at least two whole weeks, with arrivals as in the log (--arrivals trace); users:SEED needs neither',
    )
  const drawn = resample.kind === 'weeks' ? drawWeeks(jobs, weeks, uniform) : drawUsers(jobs, weeks, uniform, spec)
  const copies = new Map<string, number>()
  // A workload that was resampled before may already have an id such as `17~2`. A new copy takes the next free number.
  const known = new Set(jobs.map(({ id }) => id))
  return drawn
    .map((job, place) => ({ job, place }))
    .sort((a, b) => a.job.submit - b.job.submit || a.place - b.place)
    .map(({ job }) => {
      let copy = (copies.get(job.id) ?? 0) + 1
      while (copy > 1 && known.has(`${job.id}~${copy}`)) copy++
      copies.set(job.id, copy)
      return copy === 1 ? job : { ...job, id: `${job.id}~${copy}` }
    })
}

function drawWeeks(jobs: ReadonlyArray<Job>, weeks: number, uniform: () => number): ReadonlyArray<Job> {
  const ofWeek = Map.groupBy(jobs, ({ submit }) => Math.floor((submit - jobs[0].submit) / weekMs))
  return Array.from({ length: weeks }, (_, week) => {
    const from = integerBetween(0, weeks - 1, uniform)
    return (ofWeek.get(from) ?? []).map((job) => ({ ...job, submit: job.submit + (week - from) * weekMs }))
  }).flat()
}

function drawUsers(jobs: ReadonlyArray<Job>, weeks: number, uniform: () => number, spec: string): ReadonlyArray<Job> {
  const ofUser = [...Map.groupBy(jobs, ({ user }) => user)]
  if (ofUser.length < 2) throw new SpecError('resample', spec, 'a log that names at least two users')
  const span = Math.max(weeks, 1) * weekMs
  return Array.from({ length: ofUser.length }, () => {
    const [, own] = ofUser[integerBetween(0, ofUser.length - 1, uniform)]
    const late = integerBetween(0, Math.max(weeks, 1) - 1, uniform) * weekMs
    // Jobs after the last whole week keep their submit times.
    return own.map((job) => (job.submit >= span ? job : { ...job, submit: (job.submit + late) % span }))
  }).flat()
}
