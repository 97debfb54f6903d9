import type { Allocate, Reserve } from '@cloister/eventlog'
import { TOO_MUCH } from '../../effort.ts'
import type { Invariant } from '../../invariant.ts'

export const downUnused: Invariant = {
  name: 'down-unused',
  property:
    'No allocate or reserve record names a node or link that is down; reserve records of an observed scheduler are exempt. When a scheduling pass is over, no reservation names a node or link that went down, unless a gap follows, in which no scheduler ran.',
  begin(model, tally) {
    const isObserved = model.header.origin === 'observed'
    const firstDown = (resources: Int32Array): number | undefined =>
      resources.find((resource) => model.downBy[resource] !== 0)
    const check = (record: Allocate | Reserve): void => {
      if (model.downResources === 0) return
      tally.tested()
      const resource = firstDown(model.named!.resources)
      if (resource !== undefined)
        tally.violated(record, `${model.nameOf(resource)} is down since record ${model.downBy[resource]}`)
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
              `the reservation of job ${job.id} (record ${seq}) still names ${model.nameOf(resource)}, down since record ${model.downBy[resource]}`,
            )
        }
      },
    }
  },
}
