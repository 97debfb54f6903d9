import { SubmitsChecksum } from '@cloister/eventlog'
import type { Invariant } from '../invariant.ts'

export const jobGroups: Invariant = {
  name: 'job-groups',
  property:
    'A submit record has `array_task` only together with `array`, and `het_offset` only together with `het_job`. No record has both `array` and `het_job`.',
  begin(_model, tally) {
    return {
      submit(record) {
        const { array, array_task: task, het_job: het, het_offset: offset } = record
        if (array === undefined && task === undefined && het === undefined && offset === undefined) return
        tally.tested()
        if (task !== undefined && array === undefined) tally.violated(record, 'the job has an array_task, but no array')
        if (offset !== undefined && het === undefined)
          tally.violated(record, 'the job has a het_offset, but no het_job')
        if (array !== undefined && het !== undefined)
          tally.violated(record, `the job is in the array ${array}, and also in the heterogeneous job ${het}`)
      },
    }
  },
}

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
