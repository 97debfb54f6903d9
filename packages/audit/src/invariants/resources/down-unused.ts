import type { Allocate, Reserve } from '@cloister/eventlog'
import { TOO_MUCH } from '../../effort.ts'
import type { Invariant } from '../../invariant.ts'

export const downUnused: Invariant = {
  name: 'down-unused',
  property:
    'No allocate or reserve record names a node or link that is down. After each scheduling pass, no reservation in force names a node or link that is down, unless the next record is a gap. Reservations of an observed scheduler are exempt.',
  begin(model, tally) {
    const isObserved = model.header.origin === 'observed'
    const firstDown = (resources: Int32Array): number | undefined =>
      resources.find((resource) => model.downBy[resource] !== 0)
    const check = (record: Allocate | Reserve): void => {
      if (model.downResources === 0) return
      tally.tested()
      const resource = firstDown(model.named!.resources)
      if (resource !== undefined)
        tally.violated(
          record,
          `the ${record.type} names ${model.nameOf(resource)}, which is down since record ${model.downBy[resource]}`,
        )
    }
    return {
      allocate: check,
      reserve(record) {
        if (!isObserved) check(record)
      },
      every(record) {
        if (!model.isPassOver || model.downResources === 0 || isObserved || record.type === 'gap') return
        for (const { seq, job, resources } of model.reservations.values()) {
          tally.tested()
          if (!model.effort.allows(1 + resources.length)) return tally.violated(record, TOO_MUCH)
          const resource = firstDown(resources)
          if (resource !== undefined)
            tally.violated(
              record,
              `the reservation of job ${job.id} (record ${seq}) still names ${model.nameOf(resource)}, which is down since record ${model.downBy[resource]}`,
            )
        }
      },
    }
  },
}
