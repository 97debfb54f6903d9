import type { LogRecord } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'

export const conservation: Invariant = {
  name: 'conservation',
  property:
    'At every seal and at the end, the number of nodes and links with an owner equals the sum of the nodes and links of all allocations. Links shared up to a cap do not count. At the end of a whole simulation no job holds an allocation.',
  begin(model, tally) {
    const resources = model.exclusiveResources
    const check = (record: LogRecord): void => {
      tally.tested()
      let owned = 0
      for (let resource = 0; resource < resources; resource++) if (model.owners[resource] !== 0) owned++
      const held = model.heldExclusively
      if (owned !== held)
        tally.violated(record, `${owned} of ${resources} nodes and links are not free, but jobs hold ${held}`)
    }
    return {
      seal: check,
      end(record) {
        check(record)
        if (!model.endsItself) return
        for (const [seq, job] of model.holders)
          tally.violated(record, `job ${job.id} still holds the allocation of record ${seq} at the end of the log`)
      },
    }
  },
}
