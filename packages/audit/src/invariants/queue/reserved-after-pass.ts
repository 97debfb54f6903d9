import { TOO_MUCH } from '../../effort.ts'
import type { Checks, Tally } from '../../invariant.ts'
import type { ClusterModel } from '../../cluster/cluster-model.ts'

/**
 * Returns checks that the first `count` jobs of the queue have reservations after every scheduling pass. While a node
 * or link is down, the checks do nothing.
 */
export function reservedAfterPass(model: ClusterModel, tally: Tally, count: number): Checks {
  return {
    every(record) {
      if (!model.isPassOver || model.downResources > 0) return
      let place = 0
      for (const job of model.queue.first(count)) {
        tally.tested()
        place++
        if (!model.effort.allows(1)) return tally.violated(record, TOO_MUCH)
        if (job.reservation !== undefined) continue
        tally.violated(
          record,
          `job ${job.id} waits in place ${place} of the queue without a reservation after the scheduling pass at ${model.previousTime / 1000} s`,
        )
        return
      }
    },
  }
}
