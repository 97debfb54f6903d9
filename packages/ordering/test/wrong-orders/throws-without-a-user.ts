import type { QueueOrder } from '../../src/contract.ts'
import { scoredOrder } from '../sample-orders.ts'

/** Looks up the name of every user, and throws for a job without a user. */
const order: QueueOrder = scoredOrder('throws-without-a-user', { fixed: false }, () => ({ waiting, users }, scores) => {
  for (let row = 0; row < waiting.length; row++) scores[row] = users[waiting.user[row]].length
})
export default order
