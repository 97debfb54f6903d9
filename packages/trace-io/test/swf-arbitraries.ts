import fc from 'fast-check'
import { type SwfField, swfFields } from '../src/index.ts'
import { decimalSwfFields, swfMaximum } from '../src/swf/swf.ts'

const whole = fc.oneof(fc.constant(-1), fc.nat(20), fc.nat(), fc.integer({ min: 0, max: swfMaximum }))
const decimals = fc.oneof(
  whole,
  fc.nat(5_000_000).map((thousandths) => thousandths / 1000),
  fc.double({ min: 0, max: swfMaximum, noNaN: true }).map(Math.abs),
)

/** Random values of the 18 fields of a job in SWF. */
export const jobRow: fc.Arbitrary<Array<number>> = fc.tuple(
  ...swfFields.map((field) => (decimalSwfFields.has(field) ? decimals : whole)),
)

/**
 * Random values of a job's 18 fields, with few different values in the fields that simulations use, so that filters
 * drop some jobs and submit times can be equal.
 */
export const tellingRow: fc.Arbitrary<Array<number>> = fc
  .record({
    submit: fc.oneof(
      fc.constant(-1),
      fc.nat(300_000),
      fc.nat(300_000_000).map((ms) => ms / 1000),
      fc.nat(9).map((tenths) => tenths * 0.0001),
    ),
    runTime: fc.oneof(fc.constant(-1), fc.nat(5), fc.nat(100_000)),
    allocatedProcs: fc.oneof(fc.constant(-1), fc.nat(64)),
    requestedProcs: fc.oneof(fc.constant(-1), fc.nat(64)),
    requestedTime: fc.oneof(fc.constant(-1), fc.nat(5), fc.nat(100_000)),
    status: fc.integer({ min: -1, max: 5 }),
  })
  .map((job: Partial<Record<SwfField, number>>) => swfFields.map((field) => job[field] ?? -1))
