import fc from 'fast-check'
import { parseTopology } from '@cloister/topology'
import {
  DirectedLinks,
  dModK,
  type FlowPath,
  FlowPathsBuilder,
  type JobLoads,
  jobLoads,
  type JobSpeed,
  routedPaths,
  SharingJobs,
} from '../src/index.ts'
import { describe, expect, test } from 'vitest'

const loads = (...shares: ReadonlyArray<readonly [link: number, share: number]>): JobLoads => ({
  links: Int32Array.from(shares, ([link]) => link),
  shares: Float64Array.from(shares, ([, share]) => share),
})

/** Keeps the current speed of each job, by the changed speeds that SharingJobs returns. */
class Told {
  readonly speeds = new Map<number, number>()
  tell(changes: ReadonlyArray<JobSpeed>): void {
    for (const { job, speed } of changes) this.speeds.set(job, speed)
  }
  begin(job: number): void {
    this.speeds.set(job, 1)
  }
}

function speedsOf(jobs: ReadonlyArray<JobLoads>): ReadonlyArray<number> {
  const sharing = new SharingJobs(8)
  const told = new Told()
  jobs.forEach((each, job) => {
    told.begin(job)
    told.tell(sharing.add(job, each))
  })
  return jobs.map((_, job) => told.speeds.get(job)!)
}

describe('SharingJobs agrees with closed forms:', () => {
  test('each of k jobs with the same busiest link has a speed of 1/k', () => {
    for (let k = 1; k < 20; k++) expect(speedsOf(Array(k).fill(loads([0, 1])))).toEqual(Array(k).fill(1 / k))
  })
  test('a link that can carry all jobs slows no job, and no job has a speed above 1', () => {
    expect(speedsOf([loads([0, 0.5], [1, 1]), loads([0, 0.5], [2, 1])])).toEqual([1, 1])
    expect(speedsOf([loads([0, 1], [1, 1]), loads([0, 0.25], [2, 1])])).toEqual([0.8, 0.8])
  })
  test('a job that is slowed on one link leaves more of its other links to other jobs', () => {
    // Each of the three jobs on link 0 has a speed of a third. The fourth job gets the share of link 1 that one of the
    // three jobs leaves.
    const [a, b, c, d] = speedsOf([loads([0, 1]), loads([0, 1]), loads([0, 1], [1, 1]), loads([1, 1])])
    for (const third of [a, b, c]) expect(third).toBeCloseTo(1 / 3, 12)
    expect(d).toBeCloseTo(2 / 3, 12)
  })
})

const anyJob = fc
  .uniqueArray(fc.tuple(fc.nat(7), fc.integer({ min: 1, max: 16 })), {
    minLength: 1,
    maxLength: 4,
    selector: ([link]) => link,
  })
  .map((all): JobLoads => {
    const most = Math.max(...all.map(([, load]) => load))
    return loads(...all.toSorted(([a], [b]) => a - b).map(([link, load]) => [link, load / most] as const))
  })

/**
 * Returns a message if speeds break the definition of max-min fairness: no link is above its capacity, and each job has
 * a speed of 1 or a full link on which no job is faster. Returns undefined for fair speeds.
 */
function unfairness(jobs: ReadonlyArray<JobLoads>, speeds: ReadonlyArray<number>): string | undefined {
  const carried = new Float64Array(8)
  const fastest = new Float64Array(8)
  jobs.forEach(({ links, shares }, job) =>
    links.forEach((link, at) => {
      carried[link] += speeds[job] * shares[at]
      fastest[link] = Math.max(fastest[link], speeds[job])
    }),
  )
  const above = carried.findIndex((each) => each > 1 + 1e-9)
  if (above >= 0) return `link ${above} carries ${carried[above]}`
  const free = jobs.findIndex(
    ({ links }, job) =>
      speeds[job] !== 1 && !links.some((link) => carried[link] > 1 - 1e-9 && speeds[job] >= fastest[link] * (1 - 1e-9)),
  )
  return free < 0 ? undefined : `job ${free} could be faster than ${speeds[free]}`
}

test('the speeds of SharingJobs are max-min fair by the definition', () => {
  fc.assert(
    fc.property(fc.array(anyJob, { minLength: 1, maxLength: 10 }), (jobs) => {
      expect(unfairness(jobs, speedsOf(jobs))).toBeUndefined()
    }),
    { numRuns: 500 },
  )
  const jobs = [loads([0, 1]), loads([0, 1])]
  expect(unfairness(jobs, [0.5, 0.6])).toBe('link 0 carries 1.1')
  expect(unfairness(jobs, [0.5, 0.4])).toBe('job 0 could be faster than 0.5')
})

test('the speeds of SharingJobs after changes equal the speeds computed for all jobs at once, to the last bit', () => {
  const steps = fc.array(fc.tuple(anyJob, fc.nat(3)), { minLength: 1, maxLength: 16 })
  fc.assert(
    fc.property(steps, (all) => {
      const sharing = new SharingJobs(8)
      const told = new Told()
      let present: Array<readonly [job: number, loads: JobLoads]> = []
      all.forEach(([each, leaves], job) => {
        present.push([job, each])
        told.begin(job)
        told.tell(sharing.add(job, each))
        if (leaves === 0) {
          const [gone] = present[job % present.length]
          present = present.filter(([other]) => other !== gone)
          told.tell(sharing.remove(gone))
        }
        expect(present.map(([other]) => told.speeds.get(other))).toEqual(speedsOf(present.map(([, own]) => own)))
      })
    }),
  )
})

test('on a single shared link, the end of a job slows no job', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 2, maxLength: 8 }), fc.nat(7), (parts, which) => {
      // Each job has its own busiest link, and a share of the common link.
      const jobs = parts.map((part, job) => loads([0, part / 9], ...(job < 7 ? [[job + 1, 1] as const] : [])))
      const without = jobs.filter((_, job) => job !== which % jobs.length)
      const before = speedsOf(jobs).filter((_, job) => job !== which % jobs.length)
      speedsOf(without).forEach((speed, job) => expect(speed).toBeGreaterThanOrEqual(before[job] - 1e-12))
    }),
  )
})

test('jobLoads divides the load per capacity of each link by the load per capacity of the busiest link', () => {
  const topology = parseTopology('radix:4')
  const links = new DirectedLinks(topology, { node: 4, levels: [1] })
  const { links: used, shares } = jobLoads(routedPaths(topology, links, dModK(topology)), links.capacity, (send) => {
    send(0, 4, 6)
    send(0, 1, 2)
    send(2, 2, 9)
  })
  // Node 0 sends 8 units over its link of capacity 4, and 6 of these 8 units over links of capacity 1.
  expect([...used].slice(0, 1)).toEqual([0])
  expect([...shares].toSorted((a, b) => a - b)).toEqual([2 / 4 / 6, 6 / 4 / 6, 8 / 4 / 6, 1, 1, 1, 1])
})

test('jobLoads sets `sums` to 0 again after an error of a path, and the next job has correct loads', () => {
  const sums = new Float64Array(4)
  const capacity = Float64Array.of(1, 1, 1, 1)
  const path: FlowPath = (from, to, visit) => {
    visit(from)
    if (to === 9) throw new RangeError('no way')
    visit(to)
  }
  const sent = (to: number) => jobLoads(path, capacity, (send) => send(0, to, 5), sums)
  expect(() => sent(9)).toThrow('no way')
  expect(sums).toEqual(new Float64Array(4))
  expect(sent(1)).toEqual({ links: Int32Array.of(0, 1), shares: Float64Array.of(1, 1) })

  const flows = new FlowPathsBuilder()
  expect(() => flows.add(path, 2, 9)).toThrow('no way')
  flows.add(path, 0, 1)
  expect(flows.build()).toEqual({ flows: 1, first: Int32Array.of(0, 2), links: Int32Array.of(0, 1) })
})
