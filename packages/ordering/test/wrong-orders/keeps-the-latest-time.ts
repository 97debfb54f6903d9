import type { QueueOrder } from '../../src/contract.ts'
import { scoredOrder } from '../sample-orders.ts'

/** Never lets the time go back, so a question about a later time ages all jobs. */
const order: QueueOrder = scoredOrder('keeps-the-latest-time', { fixed: false }, () => {
  let latest = 0
  return ({ now, waiting }, scores) => {
    latest = Math.max(latest, now)
    for (let row = 0; row < waiting.length; row++) scores[row] = waiting.submitted[row] - latest
  }
})
export default order
