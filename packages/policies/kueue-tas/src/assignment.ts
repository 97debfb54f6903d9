import { balance } from './balance.ts'
import { below, type DomainTree, every } from './domain-tree.ts'
import { inOrder, type Part, take, tightest } from './greedy.ts'
import type { Room } from './room.ts'
import type { Fit, Rule } from './rule.ts'

/**
 * How many nodes each domain of the lowest level is to give; undefined where there is no room.
 *
 * @param scratch of the same tree, written over
 */
export function assign(
  tree: DomainTree,
  room: Room,
  scratch: Room,
  rule: Rule,
  nodes: number,
): ReadonlyArray<Part> | undefined {
  if (rule.balanced) {
    const fit = balance(tree, room, scratch, rule, nodes / rule.slicing.size)
    const parts = fit && nodeByNode(tree, scratch, rule, fit)
    if (parts !== undefined) return parts
  }
  const fit = fitFrom(tree, room, rule, rule.level, nodes / rule.slicing.size)
  return fit && nodeByNode(tree, room, rule, sliceBySlice(tree, room, rule, fit))
}

/** One domain of the level, or else of the next one above, at last several: on the highest level, and where nothing is asked for. */
function fitFrom(tree: DomainTree, room: Room, rule: Rule, level: number, need: number): Fit | undefined {
  const slices = (domain: number): number => room.slices[level][domain]
  const order = inOrder(room, level, every(tree, level), slices, rule.leastFirst)
  const one = tightest(order, 0, slices, need)
  if (one !== -1) return { level, parts: [{ domain: one, units: need }] }
  if (rule.mode === 'required') return undefined
  if (level > 0 && rule.mode === 'preferred') return fitFrom(tree, room, rule, level - 1, need)
  const parts = take(order, slices, need, !rule.leastFirst)
  return parts && { level, parts }
}

/** Down to the level of the slices. What was chosen above only says which domains may be used. */
function sliceBySlice(tree: DomainTree, room: Room, { slicing, leastFirst }: Rule, fit: Fit): Fit {
  const need = fit.parts.reduce((sum, { units }) => sum + units, 0)
  let { level, parts } = fit
  while (level < slicing.level) {
    const domains = below(
      tree,
      level,
      parts.map(({ domain }) => domain).sort((a, b) => a - b),
    )
    level++
    const slices = room.slices[level]
    const unitsOf = (domain: number): number => slices[domain]
    // There is room: what is above has as many slices as what is below it together.
    parts = take(inOrder(room, level, domains, unitsOf, leastFirst), unitsOf, need, !leastFirst)!
  }
  return { level, parts }
}

/** Down to the lowest level, below each domain by itself. */
function nodeByNode(tree: DomainTree, room: Room, rule: Rule, fit: Fit): ReadonlyArray<Part> | undefined {
  const { slicing, leastFirst } = rule
  let parts = fit.parts.map(({ domain, units }): Part => ({ domain, units: units * slicing.size }))
  for (let level = fit.level; level + 1 < tree.counts.length; level++) {
    const size = level < slicing.level ? slicing.size : (slicing.inner[level + 1] ?? 1)
    const nodes = room.nodes[level + 1]
    const slices = room.slices[level + 1]
    const whole = (domain: number): number => Math.floor(nodes[domain] / size)
    const next: Array<Part> = []
    for (const { domain, units } of parts) {
      // The order is that of outermost slices also where inner ones are counted: below their level, that of free nodes.
      const order = inOrder(room, level + 1, below(tree, level, [domain]), (at) => slices[at], leastFirst)
      const taken = take(order, whole, units / size, !leastFirst)
      if (taken === undefined) return undefined
      for (const part of taken) next.push({ domain: part.domain, units: part.units * size })
    }
    parts = next
  }
  return parts
}
