import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256 } from '../src/node/index.ts'
import { littleEndianBytes, MachineSums } from '../src/log/machine-sums.ts'
import { stateDigest } from './spec-digest.ts'

const CELLS = 40

test('sums that follow each change of a cell are the sums of SPEC.md over all cells', () => {
  const integer = fc.oneof(fc.nat({ max: 1000 }), fc.constantFrom(0, 2 ** 31, 2 ** 32 - 1))
  const change = fc.record({ cell: fc.nat({ max: CELLS - 1 }), integer })
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const integers = new Array<number>(CELLS).fill(0)
      const sums = new MachineSums()
      for (const { cell, integer: next } of changes) {
        sums.add(cell, next - integers[cell])
        integers[cell] = next
      }
      const computation = sha256()
      computation.update(littleEndianBytes(sums.words))
      expect(Buffer.from(computation.digest()).toString('base64url')).toBe(stateDigest(integers))
    }),
  )
})
