import type { QueueOrder } from '@cloister/ordering'
import { plainOrder } from './plain.ts'

/** Largest job first, by requested nodes. */
export const largest: QueueOrder = plainOrder('largest', true, ({ size }, row) => -size[row])
