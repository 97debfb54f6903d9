import type { Finish, Kill } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'

export const finishTime: Invariant = {
  name: 'finish-time',
  property:
    "If estimates are exact, a job that ends by itself ends at its start plus its estimate. Logs with contention and the overrun `run-on` or `extend` are exempt: `progress-rates` tests the finishes of jobs under contention. If estimates are exact or the overrun is `kill` or `clamp`, no job runs longer than its estimate. A kill with the code `estimate` comes exactly at the job's start plus its estimate, and only if the overrun is `kill` or `clamp`. An allocate record has an estimate only if estimates are exact, the option `runTimes` is `communication` and the job communicates. The estimate of an allocate record counts instead of the estimate of the submit record.",
  begin(model, tally) {
    const { estimates, overrun, runTimes } = model.rules
    const isSlowed = runTimes === 'contention'
    const mayVary = runTimes === 'communication' && estimates === 'exact'
    /** Ids of the jobs that communicate, if run times depend on communication and estimates are exact. */
    const communicating = new Set<string>()
    const mayRunOn = (estimates === 'requested' || isSlowed) && overrun === 'run-on'
    const check = (record: Finish | Kill, mayBeEarly: boolean): void => {
      const due = model.job === undefined ? undefined : model.estimatedEnd(model.job)
      if (due === undefined) return
      tally.tested()
      if (model.time > due || (model.time < due && !mayBeEarly)) {
        tally.violated(
          record,
          `the ${record.type} is at ${record.t} s, but the job's start plus its estimate is ${due / 1000} s`,
        )
      }
    }
    return {
      submit(record) {
        if (mayVary && record.communication !== undefined) communicating.add(record.job)
        if (record.estimate === undefined)
          tally.untested(
            'estimates',
            `job ${record.job} of record ${record.seq} has no estimate, and may end at any time`,
          )
      },
      allocate(record) {
        if (record.estimate === undefined) return
        tally.tested()
        if (communicating.has(record.job))
          return tally.untested(
            'runTimes',
            'only the policy slurm-tree can tell the slowdown of a job by its communication, which is relative to a placement of slurm-tree',
          )
        const because = mayVary
          ? 'the job does not communicate'
          : `the header says that ${runTimes === 'fixed' ? 'run times do not depend on the placement' : isSlowed ? 'estimates do not follow contention' : 'estimates are the walltimes of the users'}`
        tally.violated(record, `the allocate has the estimate ${record.estimate}, but ${because}`)
      },
      finish(record) {
        if (!mayRunOn) check(record, estimates === 'requested')
      },
      kill(record) {
        if (record.code === 'estimate' && overrun !== 'kill') {
          tally.tested()
          tally.violated(record, 'the job is killed for its estimate, but the header says that jobs run on')
        } else if (!mayRunOn) check(record, record.code !== 'estimate')
      },
    }
  },
}
