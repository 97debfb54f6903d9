import { balance } from './balance.ts'
import { below, type DomainTree, every } from './domain-tree.ts'
import { inOrder, type Part, take, tightest } from './greedy.ts'
import type { Room } from './room.ts'
import type { Fit, Rule } from './rule.ts'

/**
 * Returns the number of nodes that each domain of the lowest level gives; undefined if the job does not fit.
 *
 * @param scratch memory of the same tree, overwritten
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

/**
 * Finds one domain of the level with enough free nodes. In mode `preferred` the next coarser level follows if there is
 * none. On the coarsest level, and in mode `unconstrained`, several domains share the job.
 */
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

/**
 * Divides a job by slices, level by level, down to the level of the slices. The domains of the level above only limit
 * the choice.
 */
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
    // `take` succeeds here: a domain has as many slices as the domains below together.
    parts = take(inOrder(room, level, domains, unitsOf, leastFirst), unitsOf, need, !leastFirst)!
  }
  return { level, parts }
}

/** Divides a job down to the lowest level, within each domain separately. */
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
      // Domains are ordered by outermost slices even if inner slices are counted. Below the level of the slices, free
      // nodes decide.
      const order = inOrder(room, level + 1, below(tree, level, [domain]), (at) => slices[at], leastFirst)
      const taken = take(order, whole, units / size, !leastFirst)
      if (taken === undefined) return undefined
      for (const part of taken) next.push({ domain: part.domain, units: part.units * size })
    }
    parts = next
  }
  return parts
}
