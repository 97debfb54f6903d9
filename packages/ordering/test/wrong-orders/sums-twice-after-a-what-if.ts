import type { QueueOrder } from '../../src/contract.ts'
import { scoredOrder } from '../sample-orders.ts'

/** Sums over ended runs again when the time goes back, but keeps the old sum. */
const order: QueueOrder = scoredOrder('sums-twice-after-a-what-if', { fixed: false, history: true }, () => {
  let [rows, sum, last] = [0, 0, 0]
  return ({ now, waiting, ended }, scores) => {
    if (now < last) rows = 0
    last = now
    for (; rows < ended.length; rows++) sum += ended.nodes[rows]
    for (let row = 0; row < waiting.length; row++) scores[row] = sum * waiting.size[row]
  }
})
export default order
