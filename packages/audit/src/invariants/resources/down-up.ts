import type { Down } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'

export const downUp: Invariant = {
  name: 'down-up',
  property:
    'A down record names only nodes and links that are up, and an up record names only nodes and links that are down.',
  begin(model, tally) {
    const check = (record: Down): void => {
      tally.tested()
      const resource = model.named!.resources.find((each) => (model.downBy[each] === 0) === (record.type === 'up'))
      if (resource === undefined) return
      tally.violated(
        record,
        record.type === 'up'
          ? `${model.nameOf(resource)} comes up, but is not down`
          : `${model.nameOf(resource)} goes down, but is down already, since record ${model.downBy[resource]}`,
      )
    }
    return { down: check, up: check }
  },
}
