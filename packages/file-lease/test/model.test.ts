import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { World } from './model.ts'

const RUNS = Number(process.env['CLOISTER_LEASE_RUNS'] ?? 4000)

describe('a lease of several processes on a model file system', () => {
  beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }))
  afterAll(() => void vi.useRealTimers())

  it.each([
    ['lease', 60],
    ['lock', Infinity],
  ])(
    'a %s has one holder, a right age and no forgotten file in runs with crashes, EIO, ESTALE, late calls and clocks set back',
    (_, seconds) => {
      let changes = 0
      for (let seed = 0; seed < RUNS; seed++) {
        const world = new World({ seed, seconds, fastClock: 1.4 })
        expect(world.run(), `seed ${seed}`).toBe(undefined)
        changes += world.changes
        if (seed % 10 === 0) expect(world.settles(), `seed ${seed}`).toBe(undefined)
      }
      expect(changes).toBeGreaterThan(RUNS)
    },
  )

  it.each([
    ['two processes can make the same file', { isExclusive: false, seconds: 60 }],
    ['two processes can make the same file of a lock', { isExclusive: false, seconds: Infinity }],
    ['the clocks of some processes go four times as fast', { fastClock: 4, seconds: 60 }],
  ])('the model finds two holders if %s', (_, options) => {
    const seeds = Array.from({ length: RUNS }, (_ignored, seed) => seed)
    expect(seeds.find((seed) => new World({ seed, ...options }).run() !== undefined)).not.toBe(undefined)
  })
})
