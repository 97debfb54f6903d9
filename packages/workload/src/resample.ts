import { makeWorkload } from './job-list.ts'
import { integerBetween, uniformIntegers } from './random.ts'
import { SpecError } from './spec-error.ts'
import type { Job, Workload } from './workload.ts'

/**
 * Another workload of the same load, made of the jobs of one: replicates of a run on a real log.
 *
 * | spec | the jobs |
 * |---|---|
 * | `weeks:7` | as many whole weeks as the log has, each drawn from them by the seed 7, with replacement; a job keeps its place in its week |
 * | `users:7` | as many users as the log has, each drawn from them by the seed 7, with replacement, and put off by a number of weeks that is drawn too, round the end of the log |
 * | `drop-first:100` | all but the first 100 |
 *
 * Blocks of weeks keep the cycles of days and weeks and what depends on the job before (the moving-blocks bootstrap of time series, in
 * whole weeks); drawing users keeps what each of them does.
 */
export type Resample =
  | { readonly kind: 'weeks' | 'users'; readonly seed: number }
  | { readonly kind: 'drop-first'; readonly jobs: number }

/** Every spec, as help texts and errors list them. */
export const resampleSpecs =
  "weeks:SEED (whole weeks, drawn with replacement), users:SEED (users, likewise) or drop-first:JOBS, such as 'weeks:7'"

/** @throws SpecError */
export function parseResample(text: string): Resample {
  const [, kind, number = ''] = /^(weeks|users|drop-first):(\d{1,9})$/.exec(text) ?? []
  if (kind === 'weeks' || kind === 'users') return { kind, seed: Number(number) }
  if (kind === 'drop-first' && Number(number) > 0) return { kind, jobs: Number(number) }
  throw new SpecError('resample', text, resampleSpecs)
}

/** The canonical spec. */
export function formatResample(resample: Resample): string {
  return `${resample.kind}:${resample.kind === 'drop-first' ? resample.jobs : resample.seed}`
}

const weekMs = 7 * 86_400_000

/**
 * The jobs drawn, in submit order; its filter names the spec too. A job that is drawn again has another id: `17~2`.
 *
 * @throws SpecError for weeks of less than two whole ones, users where fewer than two are known, and more jobs to drop than there are
 */
export function resampleWorkload(workload: Workload, resample: Resample): Workload {
  const { jobs, filter, sha256: _sha256, epoch, ...origin } = workload
  const spec = formatResample(resample)
  const drawn = resample.kind === 'drop-first' ? jobs.slice(resample.jobs) : draw(jobs, resample)
  if (drawn.length === 0) throw new SpecError('resample', spec, `a spec that leaves some of the ${jobs.length} jobs`)
  // Only dropping jobs moves the beginning of time.
  const begin = resample.kind === 'drop-first' ? drawn[0].submit : 0
  const shifted = begin === 0 ? drawn : drawn.map((job) => ({ ...job, submit: job.submit - begin }))
  return makeWorkload(shifted, {
    ...origin,
    filter: [filter, `resample=${spec}`].filter((text) => text !== '').join(','),
    ...(epoch === undefined ? {} : { epoch: (Math.round(epoch * 1000) + begin) / 1000 }),
  })
}

function draw(
  jobs: ReadonlyArray<Job>,
  resample: { readonly kind: 'weeks' | 'users'; readonly seed: number },
): ReadonlyArray<Job> {
  const uniform = uniformIntegers(resample.seed)
  const spec = formatResample(resample)
  const weeks = Math.floor((jobs.at(-1)!.submit - jobs[0].submit) / weekMs)
  if (resample.kind === 'weeks' && weeks < 2)
    throw new SpecError('resample', spec, 'a log of at least two whole weeks, with arrivals as in the log')
  const drawn = resample.kind === 'weeks' ? drawWeeks(jobs, weeks, uniform) : drawUsers(jobs, weeks, uniform, spec)
  const copies = new Map<string, number>()
  // A log of drawn jobs has such ids itself.
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
    // What is behind the last whole week stays there.
    return own.map((job) => (job.submit >= span ? job : { ...job, submit: (job.submit + late) % span }))
  }).flat()
}
