import { balance } from './balance.ts'
import {
  below,
  type Capacity,
  type DomainTree,
  every,
  type Fit,
  inOrder,
  type Part,
  take,
  tightest,
} from './domains.ts'
import type { Rule } from './config.ts'

/**
 * Returns the number of nodes that each domain of the lowest level gives to a job; undefined if the job does not fit.
 *
 * @param scratch capacities for the same tree of domains, which the function overwrites
 */
export function assign(
  tree: DomainTree,
  capacity: Capacity,
  scratch: Capacity,
  rule: Rule,
  nodes: number,
): ReadonlyArray<Part> | undefined {
  if (rule.balanced) {
    const fit = balance(tree, capacity, scratch, rule, nodes / rule.slicing.size)
    const parts = fit && nodeByNode(tree, scratch, rule, fit)
    if (parts !== undefined) return parts
  }
  const fit = fitFrom(tree, capacity, rule, rule.level, nodes / rule.slicing.size)
  return fit && nodeByNode(tree, capacity, rule, sliceBySlice(tree, capacity, rule, fit))
}

/**
 * Finds one domain (a block, leaf or node) with enough capacity for a job on `level` or, in mode `preferred`, on a
 * coarser level. On the coarsest level in mode `preferred`, and in mode `unconstrained`, several domains share the job.
 */
function fitFrom(tree: DomainTree, capacity: Capacity, rule: Rule, level: number, need: number): Fit | undefined {
  const slices = (domain: number): number => capacity.slices[level][domain]
  const order = inOrder(capacity, level, every(tree, level), slices, rule.leastFirst)
  const one = tightest(order, 0, slices, need)
  if (one !== -1) return { level, parts: [{ domain: one, units: need }] }
  if (rule.mode === 'required') return undefined
  if (level > 0 && rule.mode === 'preferred') return fitFrom(tree, capacity, rule, level - 1, need)
  const parts = take(order, slices, need, !rule.leastFirst)
  return parts && { level, parts }
}

/**
 * Divides a job's slices among domains, level by level, down to the level of the slices. On each level, all domains
 * below the domains chosen so far may share the job.
 */
function sliceBySlice(tree: DomainTree, capacity: Capacity, { slicing, leastFirst }: Rule, fit: Fit): Fit {
  const need = fit.parts.reduce((sum, { units }) => sum + units, 0)
  let { level, parts } = fit
  while (level < slicing.level) {
    const domains = below(
      tree,
      level,
      parts.map(({ domain }) => domain).sort((a, b) => a - b),
    )
    level++
    const slices = capacity.slices[level]
    const unitsOf = (domain: number): number => slices[domain]
    // `take` succeeds, because a domain has as many slices as the domains below it together.
    parts = take(inOrder(capacity, level, domains, unitsOf, leastFirst), unitsOf, need, !leastFirst)!
  }
  return { level, parts }
}

/**
 * Divides the nodes that each domain gives to a job among the domains below, down to the lowest level. Returns
 * undefined if inner slices do not fit. An inner slice is a part of a slice that stays in one domain of a lower level.
 */
function nodeByNode(tree: DomainTree, capacity: Capacity, rule: Rule, fit: Fit): ReadonlyArray<Part> | undefined {
  const { slicing, leastFirst } = rule
  let parts = fit.parts.map(({ domain, units }): Part => ({ domain, units: units * slicing.size }))
  for (let level = fit.level; level + 1 < tree.counts.length; level++) {
    const size = level < slicing.level ? slicing.size : (slicing.inner[level + 1] ?? 1)
    const nodes = capacity.nodes[level + 1]
    const slices = capacity.slices[level + 1]
    const whole = (domain: number): number => Math.floor(nodes[domain] / size)
    const next: Array<Part> = []
    for (const { domain, units } of parts) {
      // As in Kueue, domains are ordered by outermost slices even if inner slices are counted; below the level of the
      // outermost slices, by free nodes.
      const order = inOrder(capacity, level + 1, below(tree, level, [domain]), (at) => slices[at], leastFirst)
      const taken = take(order, whole, units / size, !leastFirst)
      if (taken === undefined) return undefined
      for (const part of taken) next.push({ domain: part.domain, units: part.units * size })
    }
    parts = next
  }
  return parts
}
