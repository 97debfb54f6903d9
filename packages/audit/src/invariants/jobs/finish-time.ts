import type { Finish, Kill } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'

export const finishTime: Invariant = {
  name: 'finish-time',
  property:
    'Where estimates are exact, a job that ends by itself ends at start + estimate, unless others slow it (progress-rates); only where run times depend on communication has the allocate of a job that communicates an estimate, which then counts. Else no job runs longer where estimates are exact or overruns are killed; a kill for an estimate comes exactly then, and only where overruns are killed.',
  begin(model, tally) {
    const { estimates, overrun, run_times: runTimes } = model.header
    const isSlowed = runTimes?.startsWith('contention:') === true
    const mayVary = runTimes?.startsWith('communication:') === true && estimates === 'exact'
    /** Jobs that may take longer or shorter than by themselves. */
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
            'run_times',
            `what communication costs a job by ${runTimes} is known to its policy alone`,
          )
        const because = mayVary
          ? 'the job does not communicate'
          : `the header says that ${runTimes === undefined ? 'run times do not depend on the placement' : isSlowed ? 'estimates do not follow contention' : 'estimates are those of the users'}`
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
