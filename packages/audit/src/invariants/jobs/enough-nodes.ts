import type { Allocate, Reserve } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'

export const enoughNodes: Invariant = {
  name: 'enough-nodes',
  property: 'A job is allocated and reserved at least as many nodes as it asked for, where the policy rounds sizes up.',
  begin(machine, tally) {
    if (machine.header.policy.claims.exactSize) return 'the policy claims exact sizes, which exact-size tests'
    const check = (record: Allocate | Reserve): void => {
      const { job, parts } = machine
      if (job === undefined || parts!.malformed !== undefined) return
      tally.tested()
      if (parts!.nodesWritten < job.size)
        tally.violated(record, `${parts!.nodesWritten} nodes for a job that asked for ${job.size}`)
    }
    return { allocate: check, reserve: check }
  },
}
