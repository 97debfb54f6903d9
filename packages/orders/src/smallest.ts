import type { QueueOrder } from '@cloister/ordering'
import { plainOrder } from './plain.ts'

/** Smallest job first, by requested nodes. */
export const smallest: QueueOrder = plainOrder('smallest', true, ({ size }, row) => size[row])
