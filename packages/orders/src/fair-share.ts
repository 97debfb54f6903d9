import type { Ordering, QueueOrder, QueueView, RunColumns } from '@cloister/ordering'

/** Options of the order `fair-share`. */
export interface FairShareConfig {
  /** Time after which a past node-second of a user counts half, in hours. Default 168, a week. */
  readonly halfLifeHours: number
  /** Wait at which the age of a job is 1 and grows no further, in hours. Default 168. */
  readonly maxAgeHours: number
  /** Weight of the age, from 0. Default 1. */
  readonly ageWeight: number
  /** Weight of the share, from 0. Default 1. */
  readonly shareWeight: number
}

const DEFAULTS: FairShareConfig = { halfLifeHours: 168, maxAgeHours: 168, ageWeight: 1, shareWeight: 1 }
const HOUR = 3_600_000

/**
 * Aged fair share, as Slurm's multifactor plugin counts it with one level and equal shares: the job with the greatest
 * `ageWeight · min(wait / maxAge, 1) + shareWeight · 2^(-usage / share)` first. The usage of a user is the user's part of
 * all decayed node-seconds so far, and the share is one part for each user with a run. Jobs without a user count as one
 * user.
 */
export const fairShare: QueueOrder<FairShareConfig> = {
  contract: 1,
  name: 'fair-share',
  version: '1.0.0',
  config: { '~standard': { version: 1, vendor: 'cloister', validate } },
  make: (_machine, config) => new FairShare(config),
}

function validate(value: unknown): { value: FairShareConfig } | { issues: Array<{ message: string; path: [string] }> } {
  if (typeof value !== 'object' || value === null) return { issues: [{ message: 'expected an object', path: [''] }] }
  const config: FairShareConfig = { ...DEFAULTS, ...value }
  const issues = Object.entries(config).flatMap(([name, given]): Array<{ message: string; path: [string] }> => {
    if (!(name in DEFAULTS)) return [{ message: `expected one of ${Object.keys(DEFAULTS).join(', ')}`, path: [name] }]
    const isRight =
      typeof given === 'number' && Number.isFinite(given) && (name.endsWith('Hours') ? given > 0 : given >= 0)
    const right = name.endsWith('Hours') ? 'a number above 0' : 'a number from 0'
    return isRight ? [] : [{ message: `found ${JSON.stringify(given)}, expected ${right}`, path: [name] }]
  })
  return issues.length > 0 ? { issues } : { value: config }
}

class FairShare implements Ordering {
  readonly claims = { fixed: false, history: true } as const
  readonly #config: FairShareConfig
  readonly #past: DecayedUsage

  constructor(config: FairShareConfig) {
    this.#config = config
    this.#past = new DecayedUsage(config.halfLifeHours * HOUR)
  }

  score({ waiting, running, ended, users, now }: QueueView, scores: Float64Array): void {
    const { maxAgeHours, ageWeight, shareWeight } = this.#config
    const usage = this.#past.until(now, ended, running, users.length)
    let total = 0
    let sharing = 0
    for (const used of usage) {
      total += used
      if (used > 0) sharing++
    }
    for (let row = 0; row < waiting.length; row++) {
      const age = Math.min((now - waiting.submitted[row]) / (maxAgeHours * HOUR), 1)
      const ofShare = total > 0 ? (usage[waiting.user[row] + 1] / total) * sharing : 0
      scores[row] = -(ageWeight * age + shareWeight * 2 ** -ofShare)
    }
  }
}

/** Half-lives of an era. Weights grow up to 2^ERA within an era, and a new era divides all sums by 2^ERA, which is exact. */
const ERA = 512

/**
 * Node-seconds of users, each weighted by 2^(time / half-life) and in an unknown unit: only ratios count. Sums of ended
 * runs are kept, because their rows never change.
 */
class DecayedUsage {
  readonly #halfLife: number
  #era = 0
  #rows = 0
  /** Usage of the ended runs: place 0 has the jobs without a user, place `user + 1` the jobs of a user. */
  #ended: Array<number> = [0]

  constructor(halfLife: number) {
    this.#halfLife = halfLife
  }

  until(now: number, ended: RunColumns, running: RunColumns, users: number): Float64Array {
    if (ended.length < this.#rows) {
      this.#rows = this.#era = 0
      this.#ended = [0]
    }
    for (; this.#rows < ended.length; this.#rows++) this.#add(this.#ended, ended, this.#rows, ended.end[this.#rows])
    this.#enter(now)
    const usage = new Float64Array(users + 1)
    // Users without an ended run have no place in the array, or a hole.
    for (let place = 0; place < this.#ended.length; place++) usage[place] = this.#ended[place] ?? 0
    for (let row = 0; row < running.length; row++) this.#add(usage, running, row, now)
    return usage
  }

  #add(usage: Array<number> | Float64Array, runs: RunColumns, row: number, end: number): void {
    this.#enter(end)
    const place = runs.user[row] + 1
    usage[place] = (usage[place] ?? 0) + runs.nodes[row] * (this.#weight(end) - this.#weight(runs.started[row]))
  }

  #weight(time: number): number {
    return 2 ** (time / this.#halfLife - ERA * this.#era)
  }

  #enter(time: number): void {
    const era = Math.floor(time / this.#halfLife / ERA)
    if (era <= this.#era) return
    const factor = 2 ** (-ERA * (era - this.#era))
    for (let place = 0; place < this.#ended.length; place++) this.#ended[place] = (this.#ended[place] ?? 0) * factor
    this.#era = era
  }
}
