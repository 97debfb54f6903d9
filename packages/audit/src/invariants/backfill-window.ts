import type { Allocate } from '@cloister/eventlog'
import type { Invariant } from '../invariant.ts'
import type { Job } from '../machine.ts'

export const backfillWindow: Invariant = {
  name: 'backfill-window',
  property: 'A pass backfills in submit order, and only among the first jobs behind the head, as many as the window has, as they waited when it began.',
  begin(machine, tally) {
    const { backfill, window } = machine.header.queue
    if (backfill !== 'easy') return `the queue does not backfill (backfill: ${backfill})`
    /** Where the walk down the queue stands: the last job backfilled in this pass and its distance from the head. */
    let pass = -1
    let at: Job | undefined
    let distance = 0

    const walkTo = (job: Job): 'found' | 'too far' => {
      while (at !== undefined && at !== job) {
        if (window !== undefined && distance === window) return 'too far'
        at = machine.queue.after(at)
        distance++
      }
      return at === job ? 'found' : 'too far'
    }
    const check = (record: Allocate, job: Job, head: Job): void => {
      if (pass !== machine.passTrigger) {
        pass = machine.passTrigger
        at = head
        distance = 0
      }
      tally.tested()
      if (at !== undefined && job.order <= at.order) tally.violated(record, `job ${job.id} is backfilled out of submit order`)
      else if (walkTo(job) === 'too far') tally.violated(record, `job ${job.id} is not among the ${window === undefined ? '' : `first ${window} `}jobs behind job ${head.id}`)
    }
    return {
      allocate(record) {
        const head = record.backfill === undefined ? undefined : machine.reservations.get(record.backfill)?.job
        if (head !== undefined && machine.job !== undefined && head !== machine.job) check(record, machine.job, head)
      },
    }
  },
}
