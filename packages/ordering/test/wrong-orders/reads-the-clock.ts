import type { QueueOrder } from '../../src/contract.ts'
import { scoredOrder, writeAged } from '../sample-orders.ts'

/** Takes the wait from the clock of the computer, for jobs that have waited for more than a year. */
const order: QueueOrder = scoredOrder('reads-the-clock', { fixed: false }, () => (view, scores) => {
  writeAged(view, scores)
  const { now, waiting } = view
  for (let row = 0; row < waiting.length; row++)
    if (now - waiting.submitted[row] > 31_536_000_000) scores[row] -= Date.now() < 0 ? 1 : 0
})
export default order
