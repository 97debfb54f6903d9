import type { QueueOrder } from '../../src/contract.ts'
import { scoredOrder } from '../sample-orders.ts'

/** Keeps sums over ended runs in the module, so that all orderings share the sums. */
const order: QueueOrder = (() => {
  let rows = 0
  let sum = 0
  return scoredOrder('shares-a-sum', { fixed: false, history: true }, () => ({ waiting, ended }, scores) => {
    for (; rows < ended.length; rows++) sum += ended.nodes[rows]
    for (let row = 0; row < waiting.length; row++) scores[row] = sum * waiting.size[row]
  })
})()
export default order
