import fc from 'fast-check'
import { expect, test } from 'vitest'
import { base64url, lowerBound } from '../src/index.ts'

test('lowerBound finds the index of the first value of a sorted list that is not below a given value', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), fc.nat(20), (values, value) => {
      values.sort((a, b) => a - b)
      const first = values.findIndex((each) => each >= value)
      expect(lowerBound(values.length, (at) => values[at] < value)).toBe(first < 0 ? values.length : first)
    }),
  )
})

test('base64url gives the same text as the base64url encoding of Node', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      expect(base64url(bytes)).toBe(Buffer.from(bytes).toString('base64url'))
    }),
  )
})
