import type { ChangeCause, Wait } from './explanation.ts'

/** Returns the reason of a wait in a few words. */
export function waitInWords({ place, reason }: Wait): string {
  if (place === 'outside') return 'not tried'
  if (reason === null) return 'unknown'
  if (reason.code === 'search-bound') return `the search was given up after ${reason.constraint}`
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
      return `job ${job} holds some of it for longer`
    case 'made-way':
      return `it made way for job ${job}${record}`
    case 'planned-anew':
      return 'the policy puts it elsewhere by now'
    case 'down':
      return `some of it failed${record}`
    case 'up':
      return `nodes or links came back${record}`
    case 'other-head':
      return `job ${job} goes before it`
    case 'left-window':
      return 'it stands outside the window'
    case 'cancel':
      return 'it was cancelled'
  }
}
