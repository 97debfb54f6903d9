import type { QueueOrder } from '@cloister/ordering'
import { plainOrder } from './plain.ts'

/** First come, first served: the order of submission. */
export const submit: QueueOrder = plainOrder('submit', true, () => 0)
