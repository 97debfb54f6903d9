import type { Room } from './room.ts'

/** Share of a domain. `units` are slices down to the level of the slices, nodes below. */
export interface Part {
  readonly domain: number
  readonly units: number
}

/**
 * Returns the domains with free nodes in the order of the trials: most `units` first, or fewest first if `leastFirst`.
 * Among equal domains fewer nodes come first, then the lower id.
 *
 * @param domains domains of the level, ascending
 */
export function inOrder(
  room: Room,
  level: number,
  domains: ReadonlyArray<number>,
  units: (domain: number) => number,
  leastFirst: boolean,
): ReadonlyArray<number> {
  const nodes = room.nodes[level]
  const some = domains.filter((domain) => nodes[domain] > 0)
  const alike = some.every((domain) => nodes[domain] === nodes[some[0]] && units(domain) === units(some[0]))
  if (alike) return some
  const sign = leastFirst ? 1 : -1
  return some.sort((a, b) => sign * (units(a) - units(b)) || nodes[a] - nodes[b] || a - b)
}

/**
 * Returns the domain with fewest units among domains with at least `need` units, from index `from` on. The first of
 * equal ones wins; -1 if there is none.
 */
export function tightest(
  order: ReadonlyArray<number>,
  from: number,
  units: (domain: number) => number,
  need: number,
): number {
  let best = -1
  for (let at = from; at < order.length; at++) {
    const room = units(order[at])
    if (room >= need && (best === -1 || room < units(best))) best = order[at]
  }
  return best
}

/**
 * Takes all units of domains, one domain after the other. With `fitLast` the rest goes to the tightest remaining
 * domain.
 *
 * @returns undefined if the domains together have too few units
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
