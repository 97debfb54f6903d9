import { bindOrder } from '@cloister/ordering'
import { queueView, scoresOf, type WaitingRow } from '@cloister/ordering/checks'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { orders } from '../src/index.ts'

const HOUR = 3_600_000

function scoreOf(name: string, job: Partial<WaitingRow>, now: number = 0): number {
  const row = { id: 'a', size: 1, estimate: HOUR, submitted: 0, ...job }
  const { ordering } = bindOrder(orders.get(name)!, { nodes: 1024 })
  return scoresOf(ordering, queueView({ now, waiting: [row] }))[0]
}

/** Returns the ids of two jobs in queue order. */
function ranked(name: string, jobs: ReadonlyArray<Partial<WaitingRow>>, now: number): ReadonlyArray<number> {
  const scores = jobs.map((job) => scoreOf(name, job, now))
  return [...jobs.keys()].sort((a, b) => scores[a] - scores[b] || a - b)
}

/** Jobs: size, estimate and submission in s. The view is at 4,000 s. */
const jobs = {
  short: { size: 1, estimate: 100_000, submitted: 1000_000 },
  wide: { size: 64, estimate: 10_000_000, submitted: 100_000 },
  none: { size: 16, estimate: Infinity, submitted: 1_000_000 },
  new: { size: 8, estimate: 3_600_000, submitted: 4_000_000 },
  zero: { size: 4, estimate: 0, submitted: 0 },
}

describe('the formulas, computed by hand', () => {
  // Carastan-Santos and de Camargo (SC 2017), and Tang, Lan, Desai and Buettner (2009) for WFP and UNICEF. r is the
  // estimate and s the submission in s, n the nodes.
  test.each<[string, keyof typeof jobs, number]>([
    ['submit', 'wide', 0],
    ['shortest', 'wide', 10_000_000],
    ['shortest', 'none', Infinity],
    ['smallest', 'wide', 64],
    ['largest', 'wide', -64],
    // (wait / r)³ n: (3000 / 100)³ · 1, (3900 / 10,000)³ · 64, no wait, and 4000³ · 4 with an estimate of 1 s.
    ['wfp', 'short', -27_000],
    ['wfp', 'wide', -3.796_416],
    ['wfp', 'none', 0],
    ['wfp', 'new', 0],
    ['wfp', 'zero', -256_000_000_000],
    // wait / (log₂ n · r): 3000 / (1 · 100), 3900 / (6 · 10,000), no wait, 4000 / (2 · 1).
    ['unicef', 'short', -30],
    ['unicef', 'wide', -0.065],
    ['unicef', 'none', 0],
    ['unicef', 'new', 0],
    ['unicef', 'zero', -2000],
    // log₁₀(r) n + 870 log₁₀(s): 2 · 1 + 870 · 3, 4 · 64 + 870 · 2, and log₁₀ of 1 s twice.
    ['f1', 'short', 2612],
    ['f1', 'wide', 1996],
    ['f1', 'none', Infinity],
    ['f1', 'zero', 0],
    // √r n + 25,600 log₁₀(s): 10 · 1 + 25,600 · 3, 100 · 64 + 25,600 · 2, 1 · 4 + 0.
    ['f2', 'short', 76_810],
    ['f2', 'wide', 57_600],
    ['f2', 'zero', 4],
    // r n + 6,860,000 log₁₀(s): 100 + 6,860,000 · 3, 640,000 + 6,860,000 · 2, 4.
    ['f3', 'short', 20_580_100],
    ['f3', 'wide', 14_360_000],
    ['f3', 'zero', 4],
    // r √n + 530,000 log₁₀(s): 100 + 530,000 · 3, 80,000 + 530,000 · 2, 2.
    ['f4', 'short', 1_590_100],
    ['f4', 'wide', 1_140_000],
    ['f4', 'zero', 2],
  ])('%s of the job %s is %d', (name, job, score) => {
    const given = scoreOf(name, jobs[job], 4_000_000)
    if (Number.isFinite(score)) expect(Math.abs(given - score)).toBeLessThanOrEqual(1e-12 * Math.abs(score))
    else expect(given).toBe(score)
  })
})

const job = fc.record({
  size: fc.integer({ min: 1, max: 1024 }),
  estimate: fc.integer({ min: 0, max: 100 * HOUR }),
  submitted: fc.integer({ min: 0, max: 1000 * HOUR }),
})

describe('properties', () => {
  test('under wfp and unicef, a job that waits longer is never later', () => {
    for (const name of ['wfp', 'unicef'])
      fc.assert(
        fc.property(job, fc.integer({ min: 1, max: 100 * HOUR }), (each, more) => {
          const now = 1000 * HOUR
          expect(scoreOf(name, each, now + more)).toBeLessThan(scoreOf(name, each, now))
        }),
      )
  })

  test('wfp favours large jobs, and unicef favours small jobs', () => {
    const pair = [{ size: 2 }, { size: 256 }]
    expect([ranked('wfp', pair, HOUR), ranked('unicef', pair, HOUR)]).toEqual([
      [1, 0],
      [0, 1],
    ])
  })

  test('under f1 to f4, an earlier, a shorter or a smaller job is never later', () => {
    for (const name of ['f1', 'f2', 'f3', 'f4'])
      fc.assert(
        fc.property(job, job, (a, b) => {
          const least = {
            size: Math.min(a.size, b.size),
            estimate: Math.min(a.estimate, b.estimate),
            submitted: Math.min(a.submitted, b.submitted),
          }
          expect(scoreOf(name, least)).toBeLessThanOrEqual(scoreOf(name, a))
        }),
      )
  })
})
