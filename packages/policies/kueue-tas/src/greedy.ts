import type { Room } from './room.ts'

/** What a domain is to take: slices down to their level, nodes below it. */
export interface Part {
  readonly domain: number
  readonly units: number
}

/**
 * Domains with room in the order in which they are tried: by `units`, those with most first (or last), of equal ones those with fewest
 * nodes, then by id.
 *
 * @param domains of the level, ascending
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

/** Of domains with room for so many units from some place of an order on, the first with least; -1 where none has. */
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
 * Takes all that domains have, one after the other. With `fitLast` the one that takes the rest is the tightest of those that are left.
 *
 * @returns undefined where they have too little together
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
