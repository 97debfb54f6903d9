import { SubmitsChecksum } from '@cloister/eventlog'
import type { Invariant } from '../invariant.ts'

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

export const submitsChecksum: Invariant = {
  name: 'submits-checksum',
  property:
    "The `submits_sha256` of the header's workload is the SHA-256 of all submit records in order, each with seq 0 and a newline.",
  begin({ header: { workload } }, tally, hash) {
    const { submits_sha256: expected } = workload
    if (expected === undefined) return 'the header has no checksum of the submit records'
    const checksum = new SubmitsChecksum(hash)
    return {
      submit: (record) => checksum.add(record),
      end(record) {
        tally.tested()
        const found = checksum.hex()
        if (found !== expected)
          tally.violated(record, `the submit records have the checksum ${found}, but the header has ${expected}`)
      },
    }
  },
}
