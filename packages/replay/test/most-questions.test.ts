import { parseTopology } from '@cloister/topology'
import { expect, it } from 'vitest'
import { mostQuestions } from '../src/most-questions.ts'

// Policies without remembered refusals get about 20 questions for each record under EASY(50), and all remaining
// policies 5.
it.each([
  ['radix:28', 100_000, 200],
  ['pgft:3;22,22,22;1,22,22;1,1,1', 100_000, 100],
  ['pgft:2;384,416;1,48;1,8', 100_000, 12],
  // The largest machine that a log can name, in a short log of a stranger.
  ['pgft:2;1,2097152;1,1;1,1', 1000, 1],
])('the limit allows enough questions for each record of a log of %s', (name, records, each) => {
  const most = mostQuestions(parseTopology(name), records, []) / records
  expect([Math.floor(most) >= each, most <= 2 * each]).toEqual([true, true])
})

it.each([
  // Communicating jobs on a tenth of the machine get as many questions as jobs without communication.
  ['radix:28', 'recursive-doubling', 549, 100],
  ['radix:28', 'all-to-all', 549, 10],
  ['radix:28', 'all-to-all*1+ring*3', 549, 10],
  // Half a trillion pairs.
  ['pgft:2;1,2097152;1,1;1,1', 'all-to-all', 2 ** 20, 0],
])('on %s with jobs of %s the limit counts the pairs of ranks', (name, pattern, size, each) => {
  const jobs = [{ size: 1 }, { size, communication: { pattern } }, { size: 2, communication: { pattern } }]
  expect(Math.floor(mostQuestions(parseTopology(name), 1000, jobs) / 1000)).toBeGreaterThanOrEqual(each)
  if (each === 0) expect(mostQuestions(parseTopology(name), 1000, jobs)).toBe(0)
})
