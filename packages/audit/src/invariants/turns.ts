import type { Allocate, Reserve, Submit } from '@cloister/eventlog'
import { milliseconds } from '../cluster/jobs.ts'
import type { Invariant } from '../invariant.ts'

export const turns: Invariant = {
  name: 'turns',
  property:
    'Under an order that claims `recorded`, each job has a turn. The turns of a whole run are the numbers from 1 to the number of jobs. The `eligible` of a job is the latest submission of the jobs of earlier turns, and absent if this is not later than the submission of the job. No job starts or gets a reservation before its `eligible`. In all other logs, no job has a turn.',
  begin(model, tally) {
    const { order, part } = model.header
    const isRecorded = order?.claims.recorded === true
    const submits: Array<Submit> = []
    const decides = (record: Allocate | Reserve): void => {
      const { job, time } = model
      if (job === undefined) return
      tally.tested()
      if (time < job.eligible)
        tally.violated(
          record,
          `job ${job.id} is eligible at ${job.eligible / 1000} s, when all jobs of earlier turns are submitted`,
        )
    }
    return {
      submit(record) {
        if (isRecorded) submits.push(record)
        else if (record.turn !== undefined || record.eligible !== undefined) {
          tally.tested()
          tally.violated(record, `job ${record.job} has a turn, but the header has no order that claims recorded`)
        }
      },
      ...(isRecorded && { allocate: decides, reserve: decides }),
      end() {
        if (!isRecorded) return tally.inapplicable('the header has no order that claims recorded')
        submits.sort((a, b) => (a.turn ?? 0) - (b.turn ?? 0))
        let latest = 0
        submits.forEach((record, before) => {
          const { job, turn, t, eligible } = record
          tally.tested()
          const lastTurn = submits[before - 1]?.turn
          if (turn === undefined) return tally.violated(record, `job ${job} has no turn`)
          if (turn === lastTurn) return tally.violated(record, `job ${job} has the turn ${turn} of another job`)
          // A part of a run lacks jobs of earlier turns.
          if (part !== undefined) return
          if (turn !== before + 1)
            return tally.violated(record, `job ${job} has the turn ${turn}, but no job has the turn ${before + 1}`)
          latest = Math.max(latest, milliseconds(t))
          const expected = latest > milliseconds(t) ? latest / 1000 : undefined
          if (eligible !== expected)
            tally.violated(
              record,
              `job ${job} is eligible at ${eligible ?? t} s, but the last job of an earlier turn is submitted at ${latest / 1000} s`,
            )
        })
      },
    }
  },
}
