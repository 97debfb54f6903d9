import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MachineSums } from '../src/log/machine-sums.ts'

test.each([
  ['small', 100],
  ['large', 70_000],
])('sums over a %s machine follow changed cells as sums over all cells would', (_size, cells) => {
  const cell = fc.nat({ max: cells - 1 })
  const change = fc.record({
    cells: fc.array(cell, { maxLength: 40 }),
    seq: fc.nat({ max: 1000 }),
    isDown: fc.boolean(),
  })
  const seals = fc.array(fc.record({ changes: fc.array(change, { maxLength: 4 }), times: fc.constantFrom(1, 500) }))
  fc.assert(
    fc.property(seals, (sealed) => {
      const owners = new Uint32Array(cells)
      const down = new Uint8Array(cells)
      const sums = new MachineSums(cells)
      for (const { changes, times } of sealed) {
        for (const { cells: changed, seq, isDown } of changes) {
          for (const each of changed) [owners[each], down[each]] = [seq, Number(isDown)]
          // Repeated notes fill the list of a large machine.
          for (let time = 0; time < times; time++) sums.note(changed, changed.length)
        }
        sums.update(owners, down)
        const whole = new MachineSums(cells)
        whole.note(new Int32Array(cells), cells)
        whole.update(owners, down)
        expect(sums.words).toEqual(whole.words)
      }
    }),
    { numRuns: 50 },
  )
})
