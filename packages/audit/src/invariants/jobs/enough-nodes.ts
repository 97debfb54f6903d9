import type { Allocate, Reserve } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'

export const enoughNodes: Invariant = {
  name: 'enough-nodes',
  property:
    'If the policy does not claim exact sizes, every allocation and reservation has at least as many nodes as the job requested.',
  begin(model, tally) {
    if (model.header.policy.claims.exact_size)
      return 'the policy claims exact sizes, and the invariant exact-size tests this claim'
    const check = (record: Allocate | Reserve): void => {
      const { job, named } = model
      if (job === undefined || named!.malformed !== undefined) return
      tally.tested()
      if (named!.nodesWritten < job.size)
        tally.violated(
          record,
          `the ${record.type} has ${named!.nodesWritten} nodes, but job ${job.id} requested ${job.size}`,
        )
    }
    return { allocate: check, reserve: check }
  },
}
