import type { Rule } from './config.ts'
import { below, type Capacity, type DomainTree, every, type Fit, inOrder, type Part } from './domains.ts'

/** Set of domains of one level that may share a job under Kueue's BalancedPlacement. */
interface Candidate {
  readonly domains: ReadonlyArray<number>
  /** Smallest number of slices that each domain in use gives to the job. */
  readonly threshold: number
  /** Number of domains of the rule's level that the job needs. */
  readonly used: number
}

/**
 * Divides a job by Kueue's BalancedPlacement: within one domain of the level above the rule's level, the job gets the
 * fewest domains, and its slices are spread as evenly as possible over the next level. Returns undefined if
 * BalancedPlacement fails, so that the caller uses BestFit.
 *
 * @param scratch output: capacities of the chosen domains, with 0 for domains with fewer slices than the threshold
 */
export function balance(
  tree: DomainTree,
  capacity: Capacity,
  scratch: Capacity,
  rule: Rule,
  need: number,
): Fit | undefined {
  let best: Candidate | undefined
  for (const domains of siblings(tree, rule.level)) {
    const candidate = candidateOf(tree, capacity, scratch, rule, domains, need, best?.threshold ?? 0)
    if (candidate === undefined) continue
    const { threshold, used } = candidate
    if (best === undefined || threshold > best.threshold || (threshold === best.threshold && used < best.used))
      best = candidate
  }
  const parts = best && spread(tree, scratch, rule, best, need)
  return parts && { level: lowerLevel(rule), parts }
}

/**
 * Returns the sets of domains that may share a job: the domains below each domain of the level above `level`, or all
 * domains of level 0.
 */
function siblings(tree: DomainTree, level: number): ReadonlyArray<ReadonlyArray<number>> {
  if (level === 0) return [every(tree, 0)]
  return every(tree, level - 1).map((above) => below(tree, level - 1, [above]))
}

/**
 * Returns the level over whose domains slices are spread: one level below the rule's level, or the rule's level if each
 * slice stays in a domain of this level.
 */
function lowerLevel({ level, slicing }: Rule): number {
  return level < slicing.level ? level + 1 : level
}

function candidateOf(
  tree: DomainTree,
  all: Capacity,
  scratch: Capacity,
  rule: Rule,
  domains: ReadonlyArray<number>,
  need: number,
  atLeast: number,
): Candidate | undefined {
  if (domains.reduce((sum, domain) => sum + all.slices[rule.level][domain], 0) < need) return undefined
  const lower = lowerLevel(rule)
  const first = fewest(all, lower, lower === rule.level ? domains : below(tree, rule.level, domains), need)
  if (first === undefined) return undefined
  const threshold = Math.min(Math.floor(need / first.count), first.last)
  if (threshold === 0 || threshold < atLeast) return undefined
  prune(tree, all, scratch, rule, domains, threshold)
  const second = fewest(scratch, rule.level, domains, need)
  return second && { domains, threshold, used: second.count }
}

/** Returns the least number of domains with enough slices for a job, and the number of slices of the last domain. */
function fewest(
  capacity: Capacity,
  level: number,
  domains: ReadonlyArray<number>,
  need: number,
): { readonly count: number; readonly last: number } | undefined {
  const slices = capacity.slices[level]
  let left = need
  let count = 0
  for (const domain of inOrder(capacity, level, domains, (at) => slices[at], false)) {
    if (slices[domain] === 0) break
    left -= slices[domain]
    count++
    if (left <= 0) return { count, last: slices[domain] }
  }
  return undefined
}

/**
 * Copies the capacities of the candidate domains into `scratch`, but 0 for domains with fewer slices than `threshold`.
 */
function prune(
  tree: DomainTree,
  all: Capacity,
  scratch: Capacity,
  rule: Rule,
  domains: ReadonlyArray<number>,
  threshold: number,
): void {
  const { level, slicing } = rule
  const end = domains[domains.length - 1] + 1
  scratch.copy(all, level, domains[0], end)
  const close = (at: number, domain: number): void => {
    if (scratch.slices[at][domain] < threshold) scratch.clear(at, domain)
  }
  if (level + 1 < tree.counts.length) for (const child of below(tree, level, domains)) close(level + 1, child)
  // Kueue ignores inner slices in this step, too.
  scratch.addUp({ ...slicing, inner: [] }, level, domains[0], end)
  for (const domain of domains) close(level, domain)
}

/** Each chosen domain gives `threshold` slices; the chosen domains with the most slices give the remaining slices. */
function spread(
  tree: DomainTree,
  capacity: Capacity,
  rule: Rule,
  { domains, threshold }: Candidate,
  need: number,
): ReadonlyArray<Part> | undefined {
  const level = lowerLevel(rule)
  const lower = level === rule.level ? domains : lowerOfBest(tree, rule, capacity, domains, need)
  const slices = capacity.slices[level]
  const count = lower && fewest(capacity, level, lower, need)?.count
  if (lower === undefined || count === undefined) return undefined
  const chosen = smallestSet(capacity, level, lower, need * rule.slicing.size, count)
  if (chosen === undefined || need < chosen.length * threshold) return undefined
  let extra = need - chosen.length * threshold
  const parts = inOrder(
    capacity,
    level,
    chosen.toSorted((a, b) => a - b),
    (at) => slices[at],
    false,
  ).map((domain): Part => {
    const more = Math.min(slices[domain] - threshold, extra)
    extra -= more
    return { domain, units: threshold + more }
  })
  return extra > 0 ? undefined : parts
}

/**
 * Returns the domains below the chosen domains. Of domains with equally many slices, domains with an even distribution
 * of free nodes are chosen first.
 */
function lowerOfBest(
  tree: DomainTree,
  rule: Rule,
  capacity: Capacity,
  domains: ReadonlyArray<number>,
  need: number,
): ReadonlyArray<number> | undefined {
  const { level, slicing } = rule
  const count = fewest(capacity, level, domains, need)?.count
  if (count === undefined) return undefined
  const slices = capacity.slices[level]
  const parts = capacity.nodes[level + 1]
  const evenness = new Map(
    domains.map((domain) => [
      domain,
      entropy(parts.subarray(tree.firstChild[level][domain], tree.firstChild[level][domain + 1])),
    ]),
  )
  const order = domains.toSorted((a, b) => slices[b] - slices[a] || evenness.get(b)! - evenness.get(a)! || a - b)
  const chosen = smallestSet(capacity, level, order, need * slicing.size, count)
  return (
    chosen &&
    below(
      tree,
      level,
      chosen.toSorted((a, b) => a - b),
    )
  )
}

/**
 * Returns the set of `size` domains with capacity for at least `nodes` nodes and the smallest surplus of nodes;
 * undefined if there is no such set. The first set found wins if surpluses are equal. Fewer than `size` domains must
 * not suffice.
 */
function smallestSet(
  capacity: Capacity,
  level: number,
  order: ReadonlyArray<number>,
  nodes: number,
  size: number,
): ReadonlyArray<number> | undefined {
  const some = order.filter((domain) => capacity.slices[level][domain] > 0)
  const capacityOf = capacity.nodes[level]
  // If all domains have equal capacity, all sets have equal surplus, so the first set wins.
  if (some.every((domain) => capacityOf[domain] === capacityOf[some[0]]))
    return some.length < size ? undefined : some.slice(0, size)
  const sets = new SetsBySize(size, nodes)
  for (const domain of some) sets.add(domain, capacityOf[domain])
  return sets.best((domain) => capacityOf[domain])
}

const NONE = -1

class SetsBySize {
  readonly #size: number
  readonly #nodes: number
  /** Last domain of the first found set, by the set's number of domains and number of lacking nodes; -1 for no set. */
  readonly #last: Int32Array
  #bestLeft = -Infinity
  #bestLast = NONE

  constructor(size: number, nodes: number) {
    this.#size = size
    this.#nodes = nodes
    this.#last = new Int32Array(size * (nodes + 1)).fill(NONE)
  }

  add(domain: number, capacity: number): void {
    for (let count = this.#size; count > 0; count--) {
      const from = (count - 1) * (this.#nodes + 1)
      for (let left = 1; left <= this.#nodes; left++) {
        if (!this.#isReached(count - 1, left, from)) continue
        const after = left - capacity
        if (count === this.#size) this.#offer(domain, after)
        else if (after > 0 && this.#last[from + this.#nodes + 1 + after] === NONE)
          this.#last[from + this.#nodes + 1 + after] = domain
      }
    }
  }

  #isReached(count: number, left: number, from: number): boolean {
    return count === 0 ? left === this.#nodes : this.#last[from + left] !== NONE
  }

  #offer(domain: number, left: number): void {
    if (left > 0 || left <= this.#bestLeft) return
    this.#bestLeft = left
    this.#bestLast = domain
  }

  best(capacityOf: (domain: number) => number): ReadonlyArray<number> | undefined {
    if (this.#bestLast === NONE) return undefined
    const chosen: Array<number> = []
    let left = this.#bestLeft
    let domain = this.#bestLast
    for (let count = this.#size; count > 0; count--) {
      chosen.push(domain)
      left += capacityOf(domain)
      domain = this.#last[(count - 1) * (this.#nodes + 1) + left]
    }
    return chosen
  }
}

/** Returns the Shannon entropy of a distribution of counts, in units of 2^-24 bits; 0 if all counts are 0. */
function entropy(counts: ArrayLike<number>): number {
  let total = 0
  for (let at = 0; at < counts.length; at++) total += counts[at]
  if (total === 0) return 0
  let sum = 0
  for (let at = 0; at < counts.length; at++) if (counts[at] > 0) sum += counts[at] * log2(counts[at])
  return Math.round((log2(total) - sum / total) * UNITS)
}

const UNITS = 16_777_216
const FRACTION_BITS = 30

/** Computes the binary logarithm by squaring: `Math.log2` may differ between JavaScript engines. */
function log2(count: number): number {
  let rest = count
  let whole = 0
  while (rest >= 2) {
    rest /= 2
    whole++
  }
  let fraction = 0
  let bit = 1
  for (let at = 0; at < FRACTION_BITS && rest > 1; at++) {
    rest *= rest
    bit /= 2
    if (rest >= 2) {
      rest /= 2
      fraction += bit
    }
  }
  return whole + fraction
}
