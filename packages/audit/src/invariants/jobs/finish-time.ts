import type { Finish, Kill } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'

export const finishTime: Invariant = {
  name: 'finish-time',
  property:
    'Where estimates are exact, a job that ends by itself ends at start + estimate, unless others slow it (progress-rates); only where run times depend on the placement has its allocate an estimate, which then counts. Else no job runs longer where estimates are exact or overruns are killed; a kill for an estimate comes exactly then, and only where overruns are killed.',
  begin(model, tally) {
    const { estimates, overrun, run_times: runTimes } = model.header
    const isSlowed = runTimes?.startsWith('contention:') === true
    const mayVary = runTimes !== undefined && estimates === 'exact' && !isSlowed
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
      allocate(record) {
        if (record.estimate === undefined || mayVary) return
        tally.tested()
        tally.violated(
          record,
          `has an estimate of its own, ${record.estimate}, though the header says that ${runTimes === undefined ? 'run times do not depend on the placement' : 'estimates are those of the users'}`,
        )
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
