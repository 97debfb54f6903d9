import type { Finish, Kill } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'

export const finishTime: Invariant = {
  name: 'finish-time',
  property:
    "If estimates are exact, a job that ends by itself ends at start + estimate; jobs that contention slows are exempt (`progress-rates`). If estimates are exact or overruns are killed, no job runs longer than its estimate. A kill for an estimate comes exactly at start + estimate, and only if overruns are killed. An allocate record has an estimate only if estimates are exact, run times depend on communication and the job communicates. The estimate of the allocate then counts instead of the job's estimate.",
  begin(model, tally) {
    const { estimates, overrun, runTimes } = model.rules
    const isSlowed = runTimes === 'contention'
    const mayVary = runTimes === 'communication' && estimates === 'exact'
    /** Jobs with run times that depend on the placement. */
    const communicating = new Set<string>()
    const mayRunOn = (estimates === 'requested' || isSlowed) && overrun === 'run-on'
    const check = (record: Finish | Kill, mayBeEarly: boolean): void => {
      const due = model.job === undefined ? undefined : model.estimatedEnd(model.job)
      if (due === undefined) return
      tally.tested()
      if (model.time > due || (model.time < due && !mayBeEarly)) {
        tally.violated(record, `a ${record.type} at ${record.t}, but start + estimate is ${due / 1000}`)
      }
    }
    return {
      submit(record) {
        if (mayVary && record.communication !== undefined) communicating.add(record.job)
        if (record.estimate === undefined)
          tally.untested(
            'estimates',
            `a job without an estimate, as record ${record.seq} submits it, may end at any time`,
          )
      },
      allocate(record) {
        if (record.estimate === undefined) return
        tally.tested()
        if (communicating.has(record.job))
          return tally.untested(
            'runTimes',
            'the slowdown of a job by its communication, relative to the policy slurm-tree, is known to that policy alone',
          )
        const because = mayVary
          ? 'the job does not communicate'
          : `the header says that ${runTimes === 'fixed' ? 'run times do not depend on the placement' : isSlowed ? 'estimates do not follow contention' : 'estimates are those of the users'}`
        tally.violated(record, `has an estimate of its own, ${record.estimate}, though ${because}`)
      },
      finish(record) {
        if (!mayRunOn) check(record, estimates === 'requested')
      },
      kill(record) {
        if (record.code === 'estimate' && overrun !== 'kill') {
          tally.tested()
          tally.violated(record, 'killed for its estimate, though the header says that jobs run on')
        } else if (!mayRunOn) check(record, record.code !== 'estimate')
      },
    }
  },
}
