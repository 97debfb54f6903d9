import type { Job } from './jobs.ts'
import { areClose, type QueueOrder } from './scores.ts'

const NAMES = ['halfLifeHours', 'maxAgeHours', 'ageWeight', 'shareWeight'] as const
const HOUR = 3_600_000

/** Config of the order `fair-share`. */
export type FairShareConfig = { readonly [Name in (typeof NAMES)[number]]: number }

/** Returns the config of `fair-share` in a header; undefined if a member is missing, unknown or out of range. */
export function fairShareConfig(config: { readonly [name: string]: unknown }): FairShareConfig | undefined {
  const isRight = (name: string): boolean => {
    const value = config[name]
    return typeof value === 'number' && Number.isFinite(value) && (name.endsWith('Hours') ? value > 0 : value >= 0)
  }
  const isWhole = NAMES.every(isRight) && Object.keys(config).length === NAMES.length
  return isWhole ? (config as unknown as FairShareConfig) : undefined
}

/** Half-lives after which all usages are counted in a new unit: a double has 1,000 powers of two to each side of 1. */
const REBASE = 256

/** Usage of a user below this part of all usage may be 0 in other sums, and the user then has no share. */
const LEAST_PART = 1e-250

/**
 * Aged fair share: `ageWeight · min(wait / maxAge, 1) + shareWeight · 2^(-usage / share)`, the greatest first. The usage of a
 * user is the user's part of all node-seconds, each halved every half-life. The share is one part for each user with a run.
 */
export class FairShare implements QueueOrder {
  readonly isFixed = false
  readonly #config: FairShareConfig
  readonly #halfLife: number
  /** Node-half-lives of ended runs by user, in the worth of `#reference`. Jobs without a user count as one user. */
  readonly #ended = new Map<string | undefined, number>()
  /** Node-seconds by user of all runs, of the latest `begin`. */
  #usage: ReadonlyMap<string | undefined, number> = new Map()
  /** Time, in ms, whose node-seconds count once. */
  #reference = 0
  /** Nodes of all ended runs, each with the worth of its end: the bound of the rounding of any sum of usages. */
  #weight = 0
  #total = 0
  #sharing = 0
  #doubt = 0

  constructor(config: FairShareConfig) {
    this.#config = config
    this.#halfLife = config.halfLifeHours * HOUR
  }

  release({ user, allocation }: Job, now: number): void {
    if (allocation === undefined) return
    this.#rebase(now)
    addTo(this.#ended, user, allocation.nodes * this.#worthOf(allocation.start, now))
    this.#weight += allocation.nodes * this.#worth(now)
  }

  begin(now: number, running: Iterable<Job>): void {
    this.#rebase(now)
    const usage = new Map(this.#ended)
    let weight = this.#weight
    for (const { user, allocation } of running) {
      addTo(usage, user, allocation!.nodes * this.#worthOf(allocation!.start, now))
      weight += allocation!.nodes * this.#worth(now)
    }
    this.#usage = usage
    this.#total = 0
    for (const used of usage.values()) this.#total += used
    this.#sharing = usage.size
    const isTiny = [...usage.values()].some((used) => used < this.#total * LEAST_PART)
    // The order in packages/orders takes differences of powers, which are rounded to 2^-53 of the powers.
    const rounding = 2 ** -50 * (1 + now / this.#halfLife) * weight
    const part = this.#total === 0 ? 0 : rounding / this.#total
    this.#doubt = isTiny ? Infinity : 4 * this.#config.shareWeight * this.#sharing * part
  }

  score(job: Job, now: number): number {
    const { maxAgeHours, ageWeight, shareWeight } = this.#config
    const age = Math.min((now - job.submitted) / (maxAgeHours * HOUR), 1)
    const used = this.#usage.get(job.user) ?? 0
    return -(ageWeight * age + shareWeight * 2 ** -(used === 0 ? 0 : (used / this.#total) * this.#sharing))
  }

  isInDoubt(a: Job, b: Job): boolean {
    if (a.user === b.user) return areClose(a.score, b.score)
    if (!this.#usage.has(a.user) && !this.#usage.has(b.user)) return areClose(a.score, b.score)
    return (a.score === b.score && this.#doubt > 0) || areClose(a.score, b.score, this.#doubt)
  }

  /** Worth of a node for a half-life around a time, in ms. */
  #worth(time: number): number {
    return 2 ** ((time - this.#reference) / this.#halfLife)
  }

  /** Integral of the worth over a time, up to a constant factor. */
  #worthOf(start: number, end: number): number {
    return this.#worth(end) * -Math.expm1(-Math.LN2 * ((end - start) / this.#halfLife))
  }

  #rebase(now: number): void {
    if (now - this.#reference < REBASE * this.#halfLife) return
    const factor = 1 / this.#worth(now)
    for (const [user, used] of this.#ended) this.#ended.set(user, used * factor)
    this.#weight *= factor
    this.#reference = now
  }
}

function addTo(usage: Map<string | undefined, number>, user: string | undefined, used: number): void {
  if (used > 0) usage.set(user, (usage.get(user) ?? 0) + used)
}
