import baseline from '@cloister/policy-baseline'
import contiguous from '@cloister/policy-contiguous'
import jigsaw from '@cloister/policy-jigsaw'
import kueueTas from '@cloister/policy-kueue-tas'
import slurmBlock from '@cloister/policy-slurm-block'
import slurmTree from '@cloister/policy-slurm-tree'
import type { AnyPolicy, JsonObject } from '@cloister/run'
import type { Workload } from './machines.ts'

/** Packing rule: a policy with a configuration, under the name in the tables. */
export interface PackingRule {
  readonly name: string
  readonly policy: string
  readonly config: JsonObject
}

/** Policies of the packing rules. */
export const policies: ReadonlyArray<AnyPolicy> = [baseline, contiguous, jigsaw, kueueTas, slurmBlock, slurmTree]

/** Number of nodes of a slice: a part of a job that Kueue places on one leaf. */
const SLICE = 4

/**
 * Returns the packing rules on a machine with the given block sizes. Leaves are Kueue's lowest level: if nodes were the
 * lowest level, `unconstrained` would be Baseline. No Kueue rule has the mode `required`, because jobs larger than a
 * block would never run.
 */
export function rulesOn({ blocks }: Pick<Workload, 'blocks'>): ReadonlyArray<PackingRule> {
  const [base] = blocks
  const kueue = (name: string, config: JsonObject): PackingRule => ({
    name: `kueue-tas, ${name}`,
    policy: 'kueue-tas',
    config: { blockSizes: [base], lowest: 'leaf', ...config },
  })
  const block = (name: string, config: JsonObject): PackingRule => ({
    name: `slurm-block ${name}`,
    policy: 'slurm-block',
    config,
  })
  return [
    { name: 'baseline', policy: 'baseline', config: {} },
    { name: 'slurm-tree', policy: 'slurm-tree', config: {} },
    { name: 'contiguous', policy: 'contiguous', config: {} },
    { name: 'jigsaw', policy: 'jigsaw', config: {} },
    ...blocks.map((size) => block(`${size}`, { blockSizes: [size] })),
    block(blocks.join('-'), { blockSizes: blocks }),
    block(`${blocks.join('-')}, segments of ${base}`, {
      blockSizes: blocks,
      segment: base,
      indivisible: 'unsegmented',
    }),
    ...blocks.map((size) => kueue(`block ${size}`, { blockSizes: [size] })),
    kueue('leaf', { level: 'leaf' }),
    kueue('leaf, balanced', { level: 'leaf', profile: 'balanced' }),
    kueue(`leaf, slices of ${SLICE}`, {
      level: 'leaf',
      slices: [{ size: SLICE, level: 'leaf' }],
      indivisible: 'unsliced',
    }),
    kueue('unconstrained', { mode: 'unconstrained' }),
  ]
}
