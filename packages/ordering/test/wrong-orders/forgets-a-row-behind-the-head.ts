import type { QueueOrder } from '../../src/contract.ts'
import { madeOrder } from '../sample-orders.ts'

/** Writes no score for a second job of the same size behind the head. */
const order: QueueOrder = madeOrder('forgets-a-row-behind-the-head', () => ({
  claims: { fixed: true },
  score: ({ waiting }, scores) => scores.fill(0, 0, waiting.length),
  scoreBehindHead: ({ waiting }, scores) => {
    const sizes = Array.from(waiting.size).slice(0, waiting.length)
    sizes.forEach((size, row) => {
      if (sizes.indexOf(size) === row) scores[row] = size
    })
  },
}))
export default order
