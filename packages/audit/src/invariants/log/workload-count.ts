import type { Invariant } from '../../invariant.ts'

export const workloadCount: Invariant = {
  name: 'workload-count',
  property: "The log has as many submit records as the `jobs` of the header's workload.",
  begin(model, tally) {
    let submits = 0
    return {
      submit() {
        submits++
      },
      end(record) {
        tally.tested()
        const { jobs } = model.header.workload
        if (submits !== jobs)
          tally.violated(record, `the log submits ${submits} jobs, but the header's workload has ${jobs} jobs`)
      },
    }
  },
}
