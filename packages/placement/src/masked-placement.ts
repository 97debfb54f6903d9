import type { Allocation, Resources } from './allocations.ts'
import type { Json, Outcome, Placement } from './contract.ts'
import type { ResourceMasks } from './resource-masks.ts'

/** Nodes and links that are given by masks. */
export class FromMasks implements Resources {
  readonly masks: ResourceMasks

  constructor(masks: ResourceMasks) {
    this.masks = masks
  }

  get nodes(): ArrayLike<number> {
    return this.masks.ids().nodes
  }
  get links(): ReadonlyArray<ArrayLike<number>> {
    return this.masks.ids().links
  }
}

/** Placement that is given by masks. A state reads the masks, and a log reads the ids. */
export class MaskedPlacement extends FromMasks implements Placement {
  readonly ok = true
  declare readonly bandwidth?: number
  declare readonly note?: Json

  constructor(masks: ResourceMasks, { bandwidth, note }: Pick<Placement, 'bandwidth' | 'note'> = {}) {
    super(masks)
    if (bandwidth !== undefined) this.bandwidth = bandwidth
    if (note !== undefined) this.note = note
  }
}

/** Allocation of a job on a placement that is given by masks. */
export class MaskedAllocation extends FromMasks implements Allocation {
  readonly job: string
  readonly communicates: boolean
  readonly estimatedEnd: number
  readonly startOrder: number
  declare readonly bandwidth?: number

  constructor(masks: ResourceMasks, { job, communicates, estimatedEnd, startOrder, bandwidth }: AllocatedJob) {
    super(masks)
    this.job = job
    this.communicates = communicates === true
    this.estimatedEnd = estimatedEnd
    this.startOrder = startOrder
    if (bandwidth !== undefined) this.bandwidth = bandwidth
  }
}

/** Fields of an allocation besides its nodes and links. */
export type AllocatedJob = Pick<Allocation, 'job' | 'communicates' | 'estimatedEnd' | 'startOrder'> & {
  readonly bandwidth: number | undefined
}

/**
 * Returns an answer with ids and without masks if the answer is a copy of a placement that is given by masks, such as
 * `{ ...placement, note }`: a copy has the masks and lacks the ids. Returns any other answer as it is.
 */
export function withIds(outcome: Outcome): Outcome {
  if (outcome instanceof FromMasks || typeof outcome !== 'object' || outcome === null || outcome.ok !== true)
    return outcome
  if (typeof outcome.masks?.ids !== 'function') return outcome
  const { masks, ...copy } = outcome
  return { ...masks.ids(), ...copy }
}
