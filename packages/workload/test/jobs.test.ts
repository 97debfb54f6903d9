import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { columnOf, type Job, jobsOf, LazyJobs, mapJobs } from '../src/index.ts'

const make = (number: number): Job => ({
  id: String(7 * number),
  submit: number,
  size: 1 + (number % 9),
  runTime: 1000 + number,
  walltime: undefined,
})
const array = (length: number): ReadonlyArray<Job> => Array.from({ length }, (_, number) => make(number))

test('LazyJobs has the same jobs as an array, in any order of reading, also beyond the jobs that it keeps', () => {
  fc.assert(
    fc.property(fc.nat({ max: 3000 }), fc.array(fc.nat({ max: 4000 })), (length, numbers) => {
      const jobs = new LazyJobs(length, make)
      const expected = array(length)
      for (const number of [...numbers, ...numbers.map((each) => each % 1024)])
        expect(jobs.at(number)).toEqual(expected.at(number))
      expect([jobs.at(-1), jobs.at(length)]).toEqual([undefined, undefined])
      expect([...jobs]).toEqual(expected)
      expect(columnOf(jobs, ({ size }) => size)).toEqual(Float64Array.from(expected, ({ size }) => size))
    }),
  )
})

test('mapJobs changes the jobs of LazyJobs as the jobs of an array', () => {
  const longer = (job: Job): Job => ({ ...job, runTime: 2 * job.runTime })
  expect([...mapJobs(new LazyJobs(2000, make), longer)]).toEqual(mapJobs(array(2000), longer))
})

test('jobsOf returns an array up to 2^20 jobs, and makes the jobs of a longer list when they are read', () => {
  expect(jobsOf(50, make)).toEqual(array(50))
  const read: Array<number> = []
  const jobs = jobsOf(2 ** 20 + 1, (number) => {
    read.push(number)
    return make(number)
  })
  expect([jobs.at(5), jobs.at(2 ** 20), jobs.at(5)]).toEqual([make(5), make(2 ** 20), make(5)])
  expect(read).toEqual([5, 2 ** 20])
})
