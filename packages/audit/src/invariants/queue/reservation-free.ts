import type { Reserve } from '@cloister/eventlog'
import { TOO_MUCH } from '../../effort.ts'
import type { Invariant, Tally } from '../../invariant.ts'
import type { ClusterModel } from '../../cluster/cluster-model.ts'

export const reservationFree: Invariant = {
  name: 'reservation-free',
  property:
    'Every node and link of a reservation is free now, or is held by a job that ends, by its estimate, no later than the reservation starts. If links are shared up to a cap, a reservation with links names its bandwidth, and each link has this bandwidth left at the start of the reservation.',
  begin(model, tally) {
    const capacity = model.header.policy.link_capacity
    return {
      reserve(record) {
        tally.tested()
        const start = Math.round(record.start * 1000)
        const { resources } = model.named!
        let owner = 0
        for (let i = 0; i < resources.length; i++) {
          const resource = resources[i]
          if (resource >= model.exclusiveResources) break
          // The owner of this node or link was tested at an earlier node or link, and ends by the reservation's start.
          if (model.owners[resource] === owner) continue
          owner = model.owners[resource]
          const holder = model.holderOf(resource)
          if (holder === undefined || !model.isExpectedAt(holder, start)) continue
          const until = model.isPastEstimate(holder)
            ? 'beyond its estimate'
            : `until ${model.estimatedEnd(holder)! / 1000} s`
          tally.violated(
            record,
            `${model.nameOf(resource)} is held by job ${holder.id} ${until}, but the reservation starts at ${record.start} s`,
          )
          return
        }
        if (capacity !== undefined) checkCapacity(model, tally, record, start, capacity)
      },
    }
  },
}

function checkCapacity(model: ClusterModel, tally: Tally, record: Reserve, start: number, capacity: number): void {
  if (record.bandwidth === undefined) {
    if (model.named!.resources.length > model.named!.nodes.length)
      tally.violated(record, 'the reserve names links, but no bandwidth')
    return
  }
  if (!model.effort.allows(model.held)) return tally.violated(record, TOO_MUCH)
  const used = model.bandwidthBeyond(start)
  const resource = model.named!.resources.find(
    (each) => each >= model.exclusiveResources && used[each] + record.bandwidth! > capacity,
  )
  if (resource === undefined) return
  tally.violated(
    record,
    `${record.bandwidth} MB/s of ${model.nameOf(resource)} are reserved from ${record.start} s, when jobs still hold ${used[resource]} of its ${capacity} MB/s`,
  )
}
