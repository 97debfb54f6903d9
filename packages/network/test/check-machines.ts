import { Draw } from '@cloister/placement/testing'
import { parseTopology } from '@cloister/topology'
import { checkMachine, drawnAllocations, minimalAllocations } from './machines.ts'

/**
 * Routes permutations of every allocation of `radix:4` that meets the rule of mosaic's CONDITION.md without a spare
 * link, and of 3,000 random allocations of `radix:6`:
 *
 *     pnpm --filter @cloister/network run machines     minutes
 */

const [radix4, radix6] = ['radix:4', 'radix:6'].map((spec) => parseTopology(spec))
for (const [what, { allocations, permutations, removed, needed }] of [
  ['radix:4', checkMachine(radix4, minimalAllocations(radix4), { whole: 7, sampled: 200 })],
  ['radix:6, drawn', checkMachine(radix6, drawnAllocations(radix6, new Draw(1), 3000), { whole: 5, sampled: 100 })],
] as const)
  console.log(
    `${what}: ${allocations} allocations, ${permutations} permutations routed; ${needed} of ${removed} links cannot be missed`,
  )
