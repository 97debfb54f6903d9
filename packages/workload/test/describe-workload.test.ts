import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeWorkload, type Job, makeWorkload, type Workload } from '../src/index.ts'

const hour = 3_600_000
const workload = (jobs: ReadonlyArray<Omit<Job, 'id'>>): Workload =>
  makeWorkload(
    jobs.map((job, index) => ({ ...job, id: String(index) })).toSorted((a, b) => a.submit - b.submit),
    { name: 'mine', filter: 'runtime>0' },
  )

test('describeWorkload summarises a workload of four jobs', () => {
  const mine = workload([
    { submit: 0, size: 3, runTime: 2 * hour, walltime: hour },
    { submit: hour / 2, size: 1, runTime: 0, walltime: undefined },
    { submit: 2 * hour, size: 8, runTime: hour, walltime: hour },
    { submit: 2 * hour, size: 9, runTime: 500, walltime: 1000 },
  ])
  expect(describeWorkload(mine, { nodes: 35 })).toEqual({
    name: 'mine',
    filter: 'runtime>0',
    sha256: mine.sha256,
    jobs: 4,
    span: 7200,
    size: {
      min: 1,
      median: 3,
      mean: 5.25,
      max: 9,
      histogram: [
        { from: 1, to: 2, jobs: 1 },
        { from: 2, to: 4, jobs: 1 },
        { from: 4, to: 8, jobs: 0 },
        { from: 8, to: 16, jobs: 2 },
      ],
    },
    runTime: expect.objectContaining({ min: 0, median: 0.5, mean: 2700.125, max: 7200 }),
    walltime: expect.objectContaining({ min: 1, median: 3600, max: 3600 }),
    estimates: { known: 3, overrun: 1 },
    nodeHours: 14.00125,
    load: { perHour: [6, 0, 8.00125], mean: 7.000625, max: 8.00125, share: 7.000625 / 35 },
  })
})

test('describeWorkload summarises a workload without jobs, and a workload with all jobs at one instant', () => {
  expect(describeWorkload(workload([]))).toMatchObject({
    jobs: 0,
    span: 0,
    size: undefined,
    runTime: undefined,
    walltime: undefined,
    nodeHours: 0,
    load: undefined,
  })
  expect(describeWorkload(workload([{ submit: 5, size: 1, runTime: 1, walltime: undefined }]))).toMatchObject({
    jobs: 1,
    span: 0,
    walltime: undefined,
    load: undefined,
  })
})

test('the histograms of describeWorkload count every job in the bin of its value', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(100_000), { minLength: 1 }), (times) => {
      const { runTime } = describeWorkload(
        workload(times.map((time) => ({ submit: 0, size: 1, runTime: time, walltime: undefined }))),
      )
      const seconds = times.map((time) => time / 1000).toSorted((a, b) => a - b)
      expect(runTime!.histogram.reduce((sum, bin) => sum + bin.jobs, 0)).toBe(times.length)
      for (const { from, to, jobs } of runTime!.histogram)
        expect(jobs).toBe(seconds.filter((time) => time >= from && time < to).length)
      expect(runTime!.histogram[0].jobs).toBeGreaterThan(0)
      expect(runTime!.histogram.at(-1)!.jobs).toBeGreaterThan(0)
      expect([runTime!.min, runTime!.max]).toEqual([seconds[0], seconds.at(-1)])
      expect(seconds.filter((time) => time < runTime!.median).length).toBeLessThanOrEqual((times.length - 1) / 2)
      expect(seconds.filter((time) => time <= runTime!.median).length).toBeGreaterThanOrEqual(times.length / 2)
    }),
  )
})

const sameInstant = { submit: 2, size: 1, runTime: 0, walltime: undefined }

test('the node-hours of `load.perHour` add up to the node-hours of the workload', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          submit: fc.nat(50 * hour),
          size: fc.integer({ min: 1, max: 9 }),
          runTime: fc.nat(9 * hour),
          walltime: fc.constant(undefined),
        }),
        { minLength: 2 },
      ),
      (jobs) => {
        const { load, nodeHours, span } = describeWorkload(workload(jobs))
        if (span === 0) {
          expect(load).toBeUndefined()
          return
        }
        expect(load!.perHour.reduce((a, b) => a + b)).toBeCloseTo(nodeHours, 6)
        expect(load!.perHour.length).toBe(Math.floor(span / 3600) + 1)
      },
    ),
    // A draw of jobs that all arrive at one instant failed before: the property returned a value.
    { examples: [[[sameInstant, sameInstant]]] },
  )
})
