import type { Finish, Kill } from '@cloister/eventlog'
import type { Invariant } from '../../invariant.ts'

export const finishTime: Invariant = {
  name: 'finish-time',
  property:
    'A job that ends by itself ends at start + walltime where walltimes are exact, the walltime of its allocate where run times depend on the placement and only there; none runs longer where they are exact or overruns are killed; a kill for its walltime comes exactly then, and only there.',
  begin(model, tally) {
    const { walltime, overrun, run_times: runTimes } = model.header
    const mayVary = runTimes !== undefined && walltime === 'exact'
    const mayRunOn = walltime === 'trace' && overrun === 'run-on'
    const check = (record: Finish | Kill, mayBeEarly: boolean): void => {
      const due = model.job === undefined ? undefined : model.estimatedEnd(model.job)
      if (due === undefined) return
      tally.tested()
      if (model.time > due || (model.time < due && !mayBeEarly)) {
        tally.violated(record, `a ${record.type} at ${record.t}, but start + walltime is ${due / 1000}`)
      }
    }
    return {
      allocate(record) {
        if (record.walltime === undefined || mayVary) return
        tally.tested()
        tally.violated(
          record,
          `has a walltime of its own, ${record.walltime}, though the header says that ${runTimes === undefined ? 'run times do not depend on the placement' : 'walltimes are those of the users'}`,
        )
      },
      finish(record) {
        if (!mayRunOn) check(record, walltime === 'trace')
      },
      kill(record) {
        if (record.why === 'walltime' && overrun !== 'kill') {
          tally.tested()
          tally.violated(record, 'killed for its walltime, though the header says that jobs run on')
        } else if (!mayRunOn) check(record, record.why !== 'walltime')
      },
    }
  },
}
