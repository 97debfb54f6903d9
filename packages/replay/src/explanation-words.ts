import type { ChangeCause, Wait } from './explanation.ts'

/** Returns the reason of a wait in a few words. */
export function waitInWords({ place, reason }: Wait): string {
  if (place === 'outside') return 'not tried'
  if (reason === null) return 'unknown'
  if (reason.code === 'search-bound') return `the policy gave up the search after ${reason.constraint}`
  return reason.code === 'too-few-nodes' ? 'too few free nodes' : reason.constraint
}

/** Returns the cause of a reservation's change in words, with the number of the causing record. */
export function changeInWords({ event, job, seq }: ChangeCause): string {
  const record = seq === null ? '' : ` (record ${seq})`
  switch (event) {
    case 'early-end':
      return `job ${job} ended before its estimate${record}`
    case 'overrun':
      return `job ${job} runs past its estimate`
    case 'in-the-way':
      return `job ${job} holds reserved nodes or links beyond the planned start`
    case 'made-way':
      return `the reservation made way for job ${job}${record}`
    case 'planned-anew':
      return 'the policy now places the job elsewhere'
    case 'down':
      return `reserved nodes or links failed${record}`
    case 'up':
      return `nodes or links came back${record}`
    case 'other-head':
      return `job ${job} is before the job in the queue`
    case 'left-window':
      return 'the job is outside of the window'
    case 'cancel':
      return 'the job was cancelled'
  }
}
