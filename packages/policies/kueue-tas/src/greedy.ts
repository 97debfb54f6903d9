import type { Capacity } from './capacity.ts'

/** Share of a job that a domain gives, in slices on the level of the slices and above, else in nodes. */
export interface Part {
  readonly domain: number
  readonly units: number
}

/**
 * Returns the domains with free nodes in the order in which the policy tries them: domains with the most `units` first,
 * or with the fewest first if `leastFirst` is true. Among domains with equal units, domains with fewer free nodes come
 * first, then domains with lower numbers.
 *
 * @param domains domains of the level, ascending
 */
export function inOrder(
  capacity: Capacity,
  level: number,
  domains: ReadonlyArray<number>,
  units: (domain: number) => number,
  leastFirst: boolean,
): ReadonlyArray<number> {
  const nodes = capacity.nodes[level]
  const some = domains.filter((domain) => nodes[domain] > 0)
  const alike = some.every((domain) => nodes[domain] === nodes[some[0]] && units(domain) === units(some[0]))
  if (alike) return some
  const sign = leastFirst ? 1 : -1
  return some.sort((a, b) => sign * (units(a) - units(b)) || nodes[a] - nodes[b] || a - b)
}

/**
 * Returns the domain with the fewest units that suffice for `need`, in `order` from index `from` on; -1 if none
 * suffices.
 */
export function tightest(
  order: ReadonlyArray<number>,
  from: number,
  units: (domain: number) => number,
  need: number,
): number {
  let best = -1
  for (let at = from; at < order.length; at++) {
    const capacity = units(order[at])
    if (capacity >= need && (best === -1 || capacity < units(best))) best = order[at]
  }
  return best
}

/**
 * Divides `need` units among domains: takes all units of one domain after the other. If `fitLast` is true, the last
 * units go to the remaining domain that has the fewest sufficient units. Returns undefined if the domains together have
 * too few units.
 */
export function take(
  order: ReadonlyArray<number>,
  units: (domain: number) => number,
  need: number,
  fitLast: boolean,
): ReadonlyArray<Part> | undefined {
  const parts: Array<Part> = []
  let left = need
  for (let at = 0; at < order.length && left > 0; at++) {
    const here = units(order[at])
    if (here === 0) continue
    const domain = fitLast && here >= left ? tightest(order, at, units, left) : order[at]
    parts.push({ domain, units: Math.min(units(domain), left) })
    left -= Math.min(units(domain), left)
  }
  return left === 0 ? parts : undefined
}
