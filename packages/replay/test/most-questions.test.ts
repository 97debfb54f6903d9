import { parseTopology } from '@cloister/topology'
import { expect, it } from 'vitest'
import { mostQuestions } from '../src/recorded-inputs.ts'

// Under EASY with a window of 50 jobs, policies without `monotone` get about 20 questions for each record, and all
// other policies 5.
it.each([
  ['radix:28', 100_000, 200],
  ['pgft:3;22,22,22;1,22,22;1,1,1', 100_000, 100],
  ['pgft:2;384,416;1,48;1,8', 100_000, 12],
  // The largest machine that a log can name, in a short log of unknown origin.
  ['pgft:2;1,2097152;1,1;1,1', 1000, 1],
])('mostQuestions allows enough questions for each record of a log on %s', (name, records, each) => {
  const most = mostQuestions(parseTopology(name), records, []) / records
  expect([Math.floor(most) >= each, most <= 2 * each]).toEqual([true, true])
})

it.each([
  // Communicating jobs on a tenth of the machine get as many questions as jobs without communication.
  ['radix:28', 'recursive-doubling', 549, 100],
  ['radix:28', 'all-to-all', 549, 10],
  ['radix:28', 'all-to-all*1+ring*3', 549, 10],
  // An all-to-all pattern of 2^20 ranks has half a trillion pairs.
  ['pgft:2;1,2097152;1,1;1,1', 'all-to-all', 2 ** 20, 0],
])('mostQuestions counts the pairs of ranks, on %s with the pattern %s', (name, pattern, size, each) => {
  const jobs = [{ size: 1 }, { size, communication: { pattern } }, { size: 2, communication: { pattern } }]
  expect(Math.floor(mostQuestions(parseTopology(name), 1000, jobs) / 1000)).toBeGreaterThanOrEqual(each)
  if (each === 0) expect(mostQuestions(parseTopology(name), 1000, jobs)).toBe(0)
})
