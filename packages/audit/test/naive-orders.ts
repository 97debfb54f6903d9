/** Scores of the queue orders, as plainly as the documents of `@cloister/orders` tell them. */

/** Waiting job. Times are in ms. */
export interface ScoredJob {
  readonly size: number
  readonly estimate: number
  readonly submit: number
  readonly user?: string
}

/** Run of a job; a running job ends now. */
export interface Run {
  readonly user: string | undefined
  readonly nodes: number
  readonly start: number
  readonly end: number
}

export interface ShareConfig {
  readonly halfLifeHours: number
  readonly maxAgeHours: number
  readonly ageWeight: number
  readonly shareWeight: number
}

export const orderNames = [
  'submit',
  'shortest',
  'smallest',
  'largest',
  'f1',
  'f2',
  'f3',
  'f4',
  'wfp',
  'unicef',
  'fair-share',
] as const

/** Returns the score of a waiting job; the lowest is first. @param runs all runs that began before now */
export function naiveScore(
  name: (typeof orderNames)[number],
  job: ScoredJob,
  now: number,
  runs: ReadonlyArray<Run>,
  config: ShareConfig,
): number {
  const length = Math.max(job.estimate, 1000) / 1000
  const arrival = Math.log10(Math.max(job.submit, 1000) / 1000)
  const wait = (now - job.submit) / 1000
  switch (name) {
    case 'submit':
      return 0
    case 'shortest':
      return job.estimate
    case 'smallest':
      return job.size
    case 'largest':
      return -job.size
    case 'f1':
      return Math.log10(length) * job.size + 870 * arrival
    case 'f2':
      return Math.sqrt(length) * job.size + 25_600 * arrival
    case 'f3':
      return length * job.size + 6_860_000 * arrival
    case 'f4':
      return length * Math.sqrt(job.size) + 530_000 * arrival
    case 'wfp':
      return -((wait / length) ** 3 * job.size)
    case 'unicef':
      return -(wait / (Math.log2(Math.max(job.size, 2)) * length))
    case 'fair-share':
      return fairShare(job, now, runs, config)
  }
}

function fairShare(job: ScoredJob, now: number, runs: ReadonlyArray<Run>, config: ShareConfig): number {
  const halfLives = (time: number): number => time / 3_600_000 / config.halfLifeHours
  const decayed = ({ nodes, start, end }: Run): number =>
    nodes * (0.5 ** halfLives(now - end) - 0.5 ** halfLives(now - start))
  const counted = runs.filter(({ start, end }) => end > start)
  const usage = (of: ReadonlyArray<Run>): number => of.reduce((sum, run) => sum + decayed(run), 0)
  const users = new Set(counted.map(({ user }) => user)).size
  const part = counted.length === 0 ? 0 : usage(counted.filter(({ user }) => user === job.user)) / usage(counted)
  const age = Math.min((now - job.submit) / 3_600_000 / config.maxAgeHours, 1)
  return -(config.ageWeight * age + config.shareWeight * 0.5 ** (part * users))
}
