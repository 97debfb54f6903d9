import type { QueueOrder } from '@cloister/ordering'
import { plainOrder } from './plain.ts'

/** Shortest job first, by the estimate. */
export const shortest: QueueOrder = plainOrder('shortest', true, ({ estimate }, row) => estimate[row])
