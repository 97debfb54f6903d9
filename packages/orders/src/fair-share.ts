import type { Ordering, QueueOrder, QueueView, RunColumns } from '@cloister/ordering'
import { exp2 } from './logarithms.ts'

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
/** Least time of an option: with far shorter half-lives, times would lose their last digits. */
const LEAST_HOURS = 0.001

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
      typeof given === 'number' && Number.isFinite(given) && given >= (name.endsWith('Hours') ? LEAST_HOURS : 0)
    const right = name.endsWith('Hours') ? `a number from ${LEAST_HOURS}` : 'a number from 0'
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
    const { usage, total } = this.#past.until(now, ended, running, users.length)
    const sharing = usage.reduce((count, used) => (used > 0 ? count + 1 : count), 0)
    for (let row = 0; row < waiting.length; row++) {
      const age = Math.min((now - waiting.submitted[row]) / (maxAgeHours * HOUR), 1)
      const ofShare = total > 0 ? (usage[waiting.user[row] + 1] / total) * sharing : 0
      scores[row] = -(ageWeight * age + shareWeight * exp2(-ofShare))
    }
  }
}

/** Half-lives of an era. Weights grow up to 2^ERA within an era, and a new era divides all sums by 2^ERA, which is exact. */
const ERA = 512

/** Usage of each user: place 0 has the jobs without a user, place `user + 1` the jobs of a user. */
interface Usage {
  readonly usage: Float64Array
  /** Sum over all runs in the order of the runs, because the rounded sum shall not depend on the numbers of the users. */
  readonly total: number
}

/**
 * Node-seconds of users, each weighted by 2^(time / half-life) and in an unknown unit: only ratios count. Sums of ended
 * runs are kept, because their rows never change. A question about a later time changes no sum.
 */
class DecayedUsage {
  readonly #halfLife: number
  /** Sums over the first `#rows` ended runs, in the unit of era `#era`, the era of the last end. */
  #era = 0
  #rows = 0
  #total = 0
  #ended: Array<number> = []

  constructor(halfLife: number) {
    this.#halfLife = halfLife
  }

  until(now: number, ended: RunColumns, running: RunColumns, users: number): Usage {
    if (ended.length < this.#rows) {
      this.#rows = this.#era = this.#total = 0
      this.#ended = []
    }
    for (; this.#rows < ended.length; this.#rows++) this.#addEnded(ended, this.#rows)
    const era = running.length > 0 ? Math.max(this.#era, this.#eraOf(now)) : this.#era
    const scale = exp2(ERA * (this.#era - era))
    const usage = new Float64Array(users + 1)
    this.#ended.forEach((used, place) => (usage[place] = used * scale))
    let total = this.#total * scale
    for (let row = 0; row < running.length; row++) {
      const used = this.#usedBy(running, row, now, era)
      usage[running.user[row] + 1] += used
      total += used
    }
    return { usage, total }
  }

  #addEnded(runs: RunColumns, row: number): void {
    const era = Math.max(this.#era, this.#eraOf(runs.end[row]))
    const scale = exp2(ERA * (this.#era - era))
    if (scale !== 1) this.#ended = this.#ended.map((used) => used * scale)
    const used = this.#usedBy(runs, row, runs.end[row], era)
    const place = runs.user[row] + 1
    while (this.#ended.length <= place) this.#ended.push(0)
    this.#ended[place] += used
    this.#total = this.#total * scale + used
    this.#era = era
  }

  #usedBy(runs: RunColumns, row: number, end: number, era: number): number {
    return runs.nodes[row] * (this.#weight(end, era) - this.#weight(runs.started[row], era))
  }

  #weight(time: number, era: number): number {
    return exp2(time / this.#halfLife - ERA * era)
  }

  #eraOf(time: number): number {
    return Math.floor(time / this.#halfLife / ERA)
  }
}
