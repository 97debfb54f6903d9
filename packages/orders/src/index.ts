import type { QueueOrder } from '@cloister/ordering'
import { f1, f2, f3, f4 } from './f1-to-f4.ts'
import { fairShare } from './fair-share.ts'
import { largest } from './largest.ts'
import { recorded } from './recorded.ts'
import { shortest } from './shortest.ts'
import { smallest } from './smallest.ts'
import { submit } from './submit.ts'
import { unicef } from './unicef.ts'
import { wfp } from './wfp.ts'

export type { FairShareConfig } from './fair-share.ts'
export { f1, f2, f3, f4, fairShare, largest, recorded, shortest, smallest, submit, unicef, wfp }

/** All orders of this package by name. */
export const orders: ReadonlyMap<string, QueueOrder<any>> = new Map(
  [submit, shortest, smallest, largest, wfp, unicef, f1, f2, f3, f4, fairShare, recorded].map((order) => [
    order.name,
    order,
  ]),
)
