import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  formatResample,
  type Job,
  makeWorkload,
  parseResample,
  resampleWorkload,
  SpecError,
  type Workload,
} from '../src/index.ts'

const week = 7 * 86_400_000
const job = fc.record({
  submit: fc.integer({ min: 0, max: 6 * week }),
  size: fc.integer({ min: 1, max: 9 }),
  runTime: fc.nat(1000),
  user: fc.constantFrom('a', 'b', 'c', 'd'),
})
/** Random workloads of more than five weeks with a job in each week, so that every draw has jobs. */
const workloads: fc.Arbitrary<Workload<ReadonlyArray<Job>>> = fc
  .array(job, { minLength: 1, maxLength: 40 })
  .map((some) => {
    const fixed = [0, 1.5, 2.5, 3.25, 4.75, 5.5].map((at, i) => ({
      submit: at * week,
      size: 1,
      runTime: 5,
      user: 'ab'[i % 2],
    }))
    const sorted = [...fixed, ...some].sort((a, b) => a.submit - b.submit)
    return makeWorkload(
      sorted.map((each, at): Job => ({ ...each, id: `${at + 1}`, walltime: undefined })),
      { name: 'w', filter: 'nodes<=9', epoch: 1000 },
    )
  })
const seeds = fc.nat(1000)
/** Returns the id of the job in the log of which a drawn job is a copy. */
const original = ({ id }: Job): string => id.replace(/~\d+$/, '')

describe('resampleWorkload', () => {
  it('resampleWorkload changes only submit times and ids of drawn jobs, and gives all jobs different ids', () => {
    fc.assert(
      fc.property(workloads, seeds, fc.constantFrom('weeks', 'users'), (workload, seed, kind) => {
        const { jobs, filter, epoch } = resampleWorkload(workload, parseResample(`${kind}:${seed}`))
        expect({ filter, epoch }).toEqual({ filter: `nodes<=9,resample=${kind}:${seed}`, epoch: 1000 })
        expect(new Set(jobs.map(({ id }) => id)).size).toBe(jobs.length)
        const byId = new Map(workload.jobs.map((each) => [each.id, each]))
        for (const each of jobs) {
          const was = byId.get(original(each))!
          expect({ ...each, id: was.id, submit: was.submit }).toEqual(was)
          // A drawn job keeps its time within the week.
          expect(Math.abs(each.submit - was.submit) % week).toBe(0)
        }
      }),
    )
  })

  it('resampleWorkload gives all jobs different ids if the log already has an id such as 7~2', () => {
    const jobs = ['7', '7~2', '8', '9'].map((id, at) => ({
      id,
      submit: at * week,
      size: 1,
      runTime: 1,
      walltime: undefined,
    }))
    const workload = makeWorkload(jobs, { name: 'w', filter: '' })
    // Each of the three seeds draws the first week twice, and the second week once.
    for (const seed of [26, 42, 59]) expect(resampleWorkload(workload, { kind: 'weeks', seed }).jobs).toHaveLength(3)
  })

  it('the method `weeks` draws whole weeks, as many as the log has', () => {
    fc.assert(
      fc.property(workloads, seeds, (workload, seed) => {
        const { jobs } = resampleWorkload(workload, { kind: 'weeks', seed })
        const ofWeek = (all: ReadonlyArray<Job>, n: number): string =>
          all
            .filter(({ submit }) => Math.floor(submit / week) === n)
            .map((each) => `${original(each)} ${each.submit - n * week}`)
            .join()
        const weeks = Math.floor(workload.jobs.at(-1)!.submit / week)
        const known = Array.from({ length: weeks }, (_, n) => ofWeek(workload.jobs, n))
        for (let n = 0; n < weeks; n++) expect(known).toContain(ofWeek(jobs, n))
        expect(jobs.every(({ submit }) => submit < weeks * week)).toBe(true)
      }),
    )
  })

  it('the method `users` draws all jobs of a user, and as many users as the log has', () => {
    fc.assert(
      fc.property(workloads, seeds, (workload, seed) => {
        const { jobs } = resampleWorkload(workload, { kind: 'users', seed })
        const count = (all: ReadonlyArray<Job>, user: string): number => all.filter((each) => each.user === user).length
        const users = [...new Set(workload.jobs.map(({ user }) => user!))]
        const times = users.map((user) => count(jobs, user) / count(workload.jobs, user))
        expect(times.every(Number.isInteger)).toBe(true)
        expect(times.reduce((a, b) => a + b)).toBe(users.length)
      }),
    )
  })

  it('resampleWorkload gives equal workloads for equal seeds, and mostly different workloads for different seeds', () => {
    const [workload] = fc.sample(workloads, { numRuns: 1, seed: 1 })
    for (const kind of ['weeks', 'users'] as const) {
      const of = (seed: number): string => resampleWorkload(workload, { kind, seed }).sha256
      expect(of(3)).toBe(of(3))
      expect(new Set([1, 2, 3, 4, 5, 6].map(of)).size).toBeGreaterThan(3)
    }
  })

  it('the method `drop-first` drops the first jobs, and sets time 0 to the submit time of the next job', () => {
    const [workload] = fc.sample(workloads, { numRuns: 1, seed: 1 })
    const { jobs, epoch } = resampleWorkload(workload, parseResample('drop-first:2'))
    const begin = workload.jobs[2].submit
    expect(jobs.map(({ id, submit }) => [id, submit + begin])).toEqual(
      workload.jobs.slice(2).map(({ id, submit }) => [id, submit]),
    )
    expect(epoch).toBe(1000 + begin / 1000)
  })

  it('a spec of resampling has one spelling, and errors name the missing property of a log', () => {
    for (const spec of ['weeks:0', 'users:7', 'drop-first:100']) expect(formatResample(parseResample(spec))).toBe(spec)
    for (const spec of ['weeks', 'weeks:', 'weeks:-1', 'drop-first:0', 'days:3', 'weeks:1.5'])
      expect(() => parseResample(spec)).toThrow(SpecError)
    const atOnce = makeWorkload(
      ['1', '2'].map((id): Job => ({ id, submit: 0, size: 1, runTime: 1, walltime: undefined })),
      { name: 'w', filter: '' },
    )
    expect(() => resampleWorkload(atOnce, parseResample('weeks:1'))).toThrow('at least two whole weeks')
    expect(() => resampleWorkload(atOnce, parseResample('users:1'))).toThrow('at least two users')
    expect(() => resampleWorkload(atOnce, parseResample('drop-first:2'))).toThrow('leaves some of the 2 jobs')
  })
})
