import type { QueueOrder } from '../../src/contract.ts'
import { scoredOrder, writeUsed } from '../sample-orders.ts'

/** Reads the ended runs without the claim history. */
const order: QueueOrder = scoredOrder('hides-the-history', { fixed: false }, () => writeUsed)
export default order
