import type { Down } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'

export const downUp: Invariant = {
  name: 'down-up',
  property: 'Only what is up goes down, and only what is down comes up.',
  begin(model, tally) {
    const check = (record: Down): void => {
      tally.tested()
      const resource = model.named!.resources.find((each) => (model.downBy[each] === 0) === (record.type === 'up'))
      if (resource === undefined) return
      tally.violated(
        record,
        record.type === 'up'
          ? `${model.nameOf(resource)} is not down`
          : `${model.nameOf(resource)} is down already, since record ${model.downBy[resource]}`,
      )
    }
    return { down: check, up: check }
  },
}
