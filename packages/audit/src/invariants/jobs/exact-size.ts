import type { Allocate, Reserve } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'

export const exactSize: Invariant = {
  name: 'exact-size',
  property: 'A job is allocated and reserved exactly as many nodes as it asked for, where the policy claims it.',
  begin(machine, tally) {
    if (!machine.header.policy.claims.exactSize) return 'the policy does not claim it'
    const check = (record: Allocate | Reserve): void => {
      const { job, parts } = machine
      if (job === undefined || parts!.malformed !== undefined) return
      tally.tested()
      if (parts!.nodesWritten !== job.size)
        tally.violated(record, `${parts!.nodesWritten} nodes for a job that asked for ${job.size}`)
    }
    return { allocate: check, reserve: check }
  },
}
