import type { Allocate } from '@cloister/eventlog'
import type { QueueRules } from '../../cluster/scheduler-rules.ts'
import type { Invariant } from '../../invariant.ts'
import type { Job } from '../../cluster/jobs.ts'

export const backfillWindow: Invariant = {
  name: 'backfill-window',
  property:
    'A scheduling pass backfills jobs in queue order, or in the window order of the header’s option `windowOrder`, and only jobs within the window. Under EASY the window counts the jobs behind the head that waited when the scheduling pass began. Under conservative backfilling the window counts the jobs that still wait, the head included.',
  begin(model, tally) {
    const { backfill, window = Infinity, windowOrder } = model.rules.queue
    if (backfill === 'none') return `the queue discipline does not backfill (backfill: ${backfill})`
    const isEasy = backfill === 'easy'
    const isTriedBefore = (a: Job, b: Job): boolean => {
      const sooner = rank(windowOrder, a) - rank(windowOrder, b)
      return sooner === 0 || Number.isNaN(sooner) ? model.precedes(a, b) : sooner < 0
    }
    let pass = -1
    /** Jobs that the scheduling pass `pass` has backfilled, in the order of their starts. */
    let backfilled: Array<Job> = []

    const check = (record: Allocate, job: Job): void => {
      if (pass !== model.pass) {
        pass = model.pass
        backfilled = []
      }
      tally.tested()
      const last = backfilled.at(-1)
      const between = backfilled.filter((each) => model.precedes(each, job)).length
      const behindHead = model.queue.before(job) + (isEasy ? between : 0)
      const farthest = isEasy ? window : window - 1
      if (last !== undefined && !isTriedBefore(last, job))
        tally.violated(
          record,
          `job ${job.id} is backfilled after job ${last.id}, but must be tried before job ${last.id} (${windowOrder === undefined ? 'queue order' : `windowOrder: ${windowOrder}`})`,
        )
      else if (behindHead > farthest)
        tally.violated(record, `job ${job.id} was ${behindHead} places behind the head, but the window is ${window}`)
      backfilled.push(job)
    }
    return {
      allocate(record) {
        if (record.backfill !== undefined && model.job !== undefined && model.job !== model.queue.head)
          check(record, model.job)
      },
    }
  },
}

/** Returns a job's sort key in the window order, lowest first; NaN if a job without estimate stands in `shortest`. */
function rank(windowOrder: QueueRules['windowOrder'], { size, estimate }: Job): number {
  if (windowOrder === undefined) return 0
  if (windowOrder === 'shortest') return estimate ?? NaN
  return windowOrder === 'largest' ? -size : size
}
