import fc from 'fast-check'
import { expect, test } from 'vitest'
import { littleEndianBytes, MachineCells } from '../src/log/machine-cells.ts'
import { sha256 } from '../src/node/index.ts'
import { stateDigest } from './spec-digest.ts'

const CELLS = 40
const DOWN = 2 ** 32 - 1

test('sums that follow each change of a cell are the sums of SPEC.md over all cells', () => {
  const cells = fc.uniqueArray(fc.nat({ max: CELLS - 1 }), { maxLength: 10 })
  const seq = fc.integer({ min: 1, max: 1000 })
  const step = fc.oneof(
    fc.record({ does: fc.constant('own' as const), cells, seq }),
    fc.record({ does: fc.constant('disown' as const), allocation: fc.nat({ max: 5 }) }),
    fc.record({ does: fc.constant('raise' as const), cells, seq: fc.constantFrom(-7, 5, DOWN) }),
    fc.record({ does: fc.constantFrom('fail' as const, 'repair' as const), cells }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const integers = new Uint32Array(CELLS)
      const down = new Set<number>()
      const machine = new MachineCells(CELLS)
      const allocations: Array<{ cells: Int32Array; seq: number; first: number; second: number }> = []
      for (const step of steps) {
        if (step.does === 'own') {
          const owned = { cells: Int32Array.from(step.cells), seq: step.seq, first: 0, second: 0 }
          machine.own(owned.cells, owned.cells.length, owned.seq, owned)
          for (const cell of step.cells) integers[cell] = step.seq
          allocations.push(owned)
        } else if (step.does === 'disown') {
          const [ended] = allocations.splice(step.allocation, 1)
          if (ended === undefined) continue
          machine.disown(ended.cells, ended.cells.length, ended.seq, ended)
          for (const cell of ended.cells) if (integers[cell] === ended.seq) integers[cell] = 0
        } else if (step.does === 'raise') {
          machine.raise(Int32Array.from(step.cells), 0, step.cells.length, step.seq)
          for (const cell of step.cells) integers[cell] += step.seq
        } else {
          machine.mark(step.cells, step.cells.length, step.does === 'fail')
          for (const cell of step.cells) down[step.does === 'fail' ? 'add' : 'delete'](cell)
        }
        const expected = Array.from(integers, (integer, cell) => (down.has(cell) ? DOWN : integer))
        const computation = sha256()
        computation.update(littleEndianBytes(machine.sums))
        expect(Buffer.from(computation.digest()).toString('base64url')).toBe(stateDigest(expected))
      }
    }),
  )
})
