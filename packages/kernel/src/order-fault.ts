/** Error for an order of the queue that throws, or that gives a job no valid score. */
export class OrderFaultError extends Error {
  readonly _tag = 'OrderFaultError'
  readonly order: string

  /** @param now time of the scheduling pass, integer milliseconds */
  constructor(order: string, now: number, reason: string, cause?: unknown) {
    super(`order ${order} ${reason}, at ${now / 1000} s`, { cause })
    this.order = order
  }
}
