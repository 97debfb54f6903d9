import { declareChecks } from '@cloister/placement/testing'
import { describe } from 'vitest'
import { orderChecks, type OrderCheckOptions } from './checks.ts'
import type { QueueOrder } from './contract.ts'

/**
 * Declares the conformance tests of an order, in a vitest test file: `orderSuite(order)`. vitest skips a check if a
 * prerequisite check fails.
 */
export function orderSuite(order: QueueOrder<any>, options: OrderCheckOptions = {}): void {
  describe(`order ${order.name}`, () => declareChecks(orderChecks(order, options)))
}
