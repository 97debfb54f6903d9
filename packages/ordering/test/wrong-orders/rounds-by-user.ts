import type { QueueOrder } from '../../src/contract.ts'
import { scoredOrder } from '../sample-orders.ts'

/** Adds rounded parts of users in the order of the numbers, so the last bits depend on the numbers. */
const order: QueueOrder = scoredOrder('rounds-by-user', { fixed: false }, () => ({ now, waiting, users }, scores) => {
  const parts = new Float64Array(users.length + 1)
  for (let row = 0; row < waiting.length; row++)
    parts[waiting.user[row] + 1] += (now - waiting.submitted[row] + 1) / (waiting.size[row] * 7)
  const total = parts.reduce((sum, part) => sum + part, 0)
  for (let row = 0; row < waiting.length; row++) scores[row] = parts[waiting.user[row] + 1] / total
})
export default order
