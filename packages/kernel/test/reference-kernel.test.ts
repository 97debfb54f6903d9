import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { movingRuns, run, runs } from './random-runs.ts'
import { referenceSimulate } from './reference-kernel.ts'

it('the kernel writes the same bytes as a kernel that remembers nothing and scans ends in order', () => {
  fc.assert(
    fc.property(runs, (options) => {
      expect(run(options).text).toBe(run(options, referenceSimulate).text)
    }),
    { numRuns: 400 },
  )
})

it('the kernel writes the same bytes as the reference kernel if running jobs may move', () => {
  let moves = 0
  fc.assert(
    fc.property(movingRuns, (options) => {
      const { text, records } = run(options)
      expect(text).toBe(run(options, referenceSimulate).text)
      moves += records.filter((record) => record.type === 'allocate' && record.moved !== undefined).length
    }),
    { numRuns: 200 },
  )
  expect(moves).toBeGreaterThan(30)
})

it('the kernel writes the same bytes twice', () => {
  fc.assert(
    fc.property(runs, (options) => {
      expect(run(options).text).toBe(run(options).text)
    }),
    { numRuns: 20 },
  )
})
