import type { Finish, Kill } from '@cloister/eventlog'
import type { Invariant } from '../invariant.ts'

export const finishTime: Invariant = {
  name: 'finish-time',
  property:
    'A job ends when its start says: at start + walltime where walltimes are exact, by then where overruns are killed, and a kill for its walltime comes exactly then.',
  begin(machine, tally) {
    const { walltime, overrun } = machine.header
    if (walltime === 'trace' && overrun === 'run-on') return 'walltimes are estimates that jobs may overrun'
    const check = (record: Finish | Kill): void => {
      const due = machine.job === undefined ? undefined : machine.estimatedEnd(machine.job)
      if (due === undefined) return
      tally.tested()
      const mayBeEarly = record.type === 'finish' && walltime === 'trace'
      if (machine.time > due || (machine.time < due && !mayBeEarly)) {
        tally.violated(record, `a ${record.type} at ${record.t}, but start + walltime is ${due / 1000}`)
      }
    }
    return {
      finish: check,
      kill(record) {
        if (record.why !== 'walltime') return
        if (overrun === 'kill') check(record)
        else tally.violated(record, 'killed for its walltime, though the header says that jobs run on')
      },
    }
  },
}
