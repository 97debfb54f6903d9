import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Job, jobListSha256, makeWorkload, WorkloadError } from '../src/index.ts'

const job = (id: string, more: Partial<Job> = {}): Job => ({
  id,
  submit: 0,
  size: 1,
  runTime: 1000,
  walltime: undefined,
  ...more,
})
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

test('jobListSha256 hashes the canonical job list, with one line for each job', () => {
  const jobs = [
    job('1', { submit: 5, size: 16, walltime: 3_600_000, name: 'a name' }),
    job('2', { walltime: 0 }),
    job('b c', { runTime: 0, bandwidth: 500, communication: { pattern: 'all to all', share: 350 } }),
  ]
  expect(jobListSha256(jobs)).toBe(
    sha256('1 5 16 1000 3600000\n2 0 1 1000 0\nb%20c 0 1 0 - bandwidth=500 communication=350:all%20to%20all\n'),
  )
  expect(jobListSha256([])).toBe(sha256(''))
})

test('every value of a job and the order of the jobs change the result of jobListSha256', () => {
  const changes: Array<Partial<Job>> = [
    { id: '9' },
    { submit: 1 },
    { size: 2 },
    { runTime: 2 },
    { walltime: 2 },
    { bandwidth: 1 },
    { communication: { pattern: 'ring', share: 1 } },
  ]
  const hashes = [...changes, {}].map((change) => jobListSha256([job('1', change), job('2')]))
  expect(new Set([...hashes, jobListSha256([job('2'), job('1')])]).size).toBe(changes.length + 2)
})

test('jobListSha256 of a long list is the SHA-256 of its whole text', () => {
  fc.assert(
    fc.property(fc.integer({ min: 3000, max: 6000 }), (count) => {
      const jobs = Array.from({ length: count }, (_, index) => job(String(index)))
      expect(jobListSha256(jobs)).toBe(sha256(jobs.map(({ id }) => `${id} 0 1 1000 -\n`).join('')))
    }),
    { numRuns: 5 },
  )
})

test.each([
  ['an id twice', [job('1'), job('1')], 'every id once'],
  [
    'jobs out of order',
    [job('1', { submit: 5 }), job('2', { submit: 4 })],
    'in submit order, so a submit time of at least 5',
  ],
  ['a job of size 0', [job('1', { size: 0 })], 'at least 1'],
  ['a size of one and a half nodes', [job('1', { size: 1.5 })], 'at least 1'],
  ['a negative submit time', [job('1', { submit: -1 })], 'integer milliseconds'],
  ['a run time of half a millisecond', [job('1', { runTime: 0.5 })], 'integer milliseconds'],
  ['a walltime that is no number', [job('1', { walltime: NaN })], 'integer milliseconds'],
])('makeWorkload refuses %s', (_, jobs, expected) => {
  expect(() => makeWorkload(jobs, { name: 'mine', filter: '' })).toThrow(WorkloadError)
  expect(() => makeWorkload(jobs, { name: 'mine', filter: '' })).toThrow(expected)
})

test('makeWorkload returns the jobs with their origin and the SHA-256 of the job list', () => {
  const jobs = [job('1'), job('2', { submit: 3 })]
  expect(makeWorkload(jobs, { name: 'mine', filter: 'runtime>0', epoch: 7 })).toEqual({
    name: 'mine',
    filter: 'runtime>0',
    epoch: 7,
    jobs,
    sha256: jobListSha256(jobs),
  })
})
