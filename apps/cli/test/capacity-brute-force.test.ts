import { expectedEnd, type Header, type LogRecord, LogState, resourcesOf } from '@cloister/eventlog'
import { jobOfRecord } from '@cloister/kernel'
import { communicating, run, type RunOptions, runs } from '@cloister/kernel/random-runs'
import { type Allocation, bindPolicy, ClusterState, type Outcome, type Placer, PolicyError } from '@cloister/placement'
import { parseTopology } from '@cloister/topology'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { capacityMeans, CapacityOverTime, fittingSizes, largestFit, relief } from '@cloister/replay'
import { allPolicies, isolating } from './all-policies.ts'

interface Chosen extends Pick<RunOptions, 'policy' | 'config'> {
  readonly name: string
}

const policies: ReadonlyArray<Chosen> = await Promise.all(
  allPolicies.map(async (name) => ({ name, policy: await policyInSources(name), config: {} })),
)
const configured = (base: string, config: unknown, name: string): Chosen => ({
  name,
  config,
  policy: policies.find((each) => each.name === base)!.policy,
})
/** Configurations with gaps between the placeable sizes, or with a bound of the search. */
const further = [
  configured('slurm-block', { segment: 3 }, 'slurm-block with segments'),
  configured('jigsaw', { maxSteps: 2 }, 'jigsaw with 2 steps'),
  configured('jigsaw', { sharing: { capacity: 3000 } }, 'jigsaw with shared links'),
]
/** Policies that refuse some jobs although enough nodes are idle. */
const fragmenting: ReadonlyArray<string> = [...isolating, 'contiguous']

/** The built-in policies are no dependencies of this package: build.mjs bundles the sources of all policies. */
async function policyInSources(name: string): Promise<RunOptions['policy']> {
  const module: Record<string, unknown> = await import(
    new URL(`../../../packages/policies/${name}/src/index.ts`, import.meta.url).href
  )
  return Object.values(module).find(
    (value): value is RunOptions['policy'] =>
      typeof value === 'object' && value !== null && 'contract' in value && 'make' in value,
  )!
}

/** Random runs under a policy: without run times by placement, which would need a model of costs. */
function runsOf({ policy, config }: Pick<RunOptions, 'policy' | 'config'>): fc.Arbitrary<RunOptions> {
  const served = runs.filter(({ topology }) => serves(policy, topology, config))
  return fc.record({ options: served, communicates: fc.boolean() }).map(({ options, communicates }) => {
    const { runTimes: _, ...rest } = options
    return { ...rest, policy, config, jobs: communicates ? communicating(rest.jobs) : rest.jobs }
  })
}

function serves(policy: RunOptions['policy'], topology: string, config: unknown): boolean {
  try {
    bindPolicy(policy, parseTopology(topology), config)
    return true
  } catch (error) {
    if (error instanceof PolicyError && error.unsupported !== undefined) return false
    throw error
  }
}

/** The state of a log as a policy sees it, made from the running jobs alone. */
class Naive {
  readonly state: LogState
  readonly placer: Placer<any>
  readonly now: number

  constructor(state: LogState, placer: Placer<any>) {
    this.state = state
    this.placer = placer
    this.now = Math.round(state.t * 1000)
  }

  /** Returns the machine without some of the running jobs. */
  machine(without: ReadonlyArray<string> = []): ClusterState<any> {
    const { topology, running, downNodes, downLinks } = this.state
    const machine = new ClusterState<any>(topology, {
      index: this.placer.index,
      linkCapacity: this.placer.linkCapacity ?? 0,
    })
    for (const [order, { submit, allocate }] of [...running.values()].entries())
      if (!without.includes(submit.job))
        machine.apply({
          ...this.allocation(submit.job, { ok: true, ...resourcesOf(allocate) }, order),
          estimatedEnd: this.endOf(submit.job),
          ...(allocate.bandwidth === undefined ? {} : { bandwidth: allocate.bandwidth }),
        })
    machine.fail({ nodes: downNodes.ids(), links: downLinks.map((ids) => ids.ids()) })
    return machine
  }

  endOf(job: string): number {
    const end = expectedEnd(this.state.running.get(job)!)
    if (end === undefined) return Infinity
    return end * 1000 < this.now ? this.now + 1000 : Math.round(end * 1000)
  }

  place(machine: ClusterState<any>, job: string): Outcome {
    const { waiting, running } = this.state
    const { id, size, ...given } = jobOfRecord(waiting.get(job) ?? running.get(job)!.submit)
    const { submit: submitted, walltime: estimate, bandwidth, communication } = given
    const request = { purpose: 'start', job: id, nodes: size, now: this.now, submitted, estimate } as const
    return this.placer.place(machine, { ...request, bandwidth, communication }, machine.index)
  }

  placeSize(machine: ClusterState<any>, nodes: number): Outcome {
    const request = { purpose: 'start', job: '', nodes, now: this.now, submitted: this.now } as const
    const none = { estimate: undefined, bandwidth: undefined, communication: undefined }
    return this.placer.place(machine, { ...request, ...none }, machine.index)
  }

  allocation(
    job: string,
    { nodes, links, bandwidth }: Outcome & { readonly ok: true },
    startOrder: number,
  ): Allocation {
    const submit = this.state.waiting.get(job) ?? this.state.running.get(job)?.submit
    return {
      job,
      nodes,
      links,
      communicates: submit !== undefined && jobOfRecord(submit).communication !== undefined,
      estimatedEnd: submit?.estimate === undefined ? Infinity : this.now + Math.round(submit.estimate * 1000),
      startOrder,
      ...(bandwidth === undefined ? {} : { bandwidth }),
    }
  }

  get sizes(): ReadonlyArray<number> {
    return Array.from({ length: this.state.topology.nodes }, (_, at) => at + 1)
  }

  largest(): number {
    return this.sizes.findLast((size) => this.placeSize(this.machine(), size).ok) ?? 0
  }

  jobs(size: number): number {
    const machine = this.machine()
    for (let jobs = 0; ; jobs++) {
      const outcome = this.placeSize(machine, size)
      if (!outcome.ok) return jobs
      machine.apply({ ...this.allocation(`further ${jobs}`, outcome, 1000 + jobs), communicates: false })
    }
  }

  releases(job: string): ReadonlyArray<string> {
    return [...this.state.running.keys()].filter((each) => this.place(this.machine([each]), job).ok)
  }

  moves(job: string): ReadonlyArray<string> {
    return [...this.state.running.keys()].filter((each, order) => {
      const machine = this.machine([each])
      const outcome = this.place(machine, job)
      if (!outcome.ok) return false
      machine.apply(this.allocation(job, outcome, order))
      return this.place(machine, each).ok
    })
  }

  delay(job: string): number | undefined {
    const ends = [...this.state.running.keys()].map((each) => this.endOf(each)).filter(Number.isFinite)
    const end = ends
      .sort((a, b) => a - b)
      .find((time) => {
        const ended = [...this.state.running.keys()].filter((each) => this.endOf(each) <= time)
        return this.place(this.machine(ended), job).ok
      })
    return end === undefined ? undefined : (end - this.now) / 1000
  }
}

function* statesOf(records: ReadonlyArray<LogRecord>, step: number): Generator<LogState> {
  const state = new LogState(records[0] as Header)
  for (const [at, record] of records.slice(1).entries()) {
    if (at % step === 0) yield state
    state.apply(record)
  }
}

describe('capacity equals brute force on small trees', () => {
  it.each([...policies, ...further])('under $name', (chosen) => {
    let [fragmented, relieved] = [0, 0]
    fc.assert(
      fc.property(runsOf(chosen), (options) => {
        const topology = parseTopology(options.topology)
        const { placer } = bindPolicy(options.policy, topology, options.config)
        for (const state of statesOf(run(options).records, 7)) {
          const naive = new Naive(state, placer)
          const largest = naive.largest()
          expect(largestFit(state, placer)).toEqual({ nodes: largest, isExact: true })
          // A limit on questions gives a size that the policy places.
          const { nodes: least, isExact } = largestFit(state, placer, 1)
          expect(isExact ? least === largest : least <= largest).toBe(true)
          expect(least === 0 || naive.placeSize(naive.machine(), least).ok).toBe(true)
          if (largest < state.freeNodes.size) fragmented++
          const found = fittingSizes(state, placer, { sizes: [3, 1, 2, topology.nodes, largest + 1] })
          expect(found.largest.nodes).toBe(largest)
          for (const [at, size] of found.sizes.entries()) expect(found.jobs[at]).toBe(naive.jobs(size))
          const job = relief(state, placer)?.job
          const last = [...state.waiting.keys()].at(-1)
          for (const waiting of job === undefined ? [] : [undefined, last!]) {
            const asked = waiting ?? job!
            const help = relief(state, placer, { job: waiting })!
            expect(help).toMatchObject({ job: asked, fits: naive.place(naive.machine(), asked).ok })
            if (help.fits) continue
            expect([...help.releases].sort()).toEqual([...naive.releases(asked)].sort())
            expect([...help.moves].sort()).toEqual([...naive.moves(asked)].sort())
            expect(help.delay).toBe(naive.delay(asked))
            relieved += help.releases.length
          }
        }
      }),
      { numRuns: 6 },
    )
    // A test that sees no fragmented state, or no state that a release helps, would prove nothing.
    if (!further.includes(chosen)) expect(relieved).toBeGreaterThan(0)
    if (fragmenting.includes(chosen.name)) expect(fragmented).toBeGreaterThan(0)
  })
})

describe('CapacityOverTime', () => {
  it.each(policies)('has the largest job of every instant and of every sample under $name', (chosen) => {
    fc.assert(
      fc.property(runsOf(chosen), fc.integer({ min: 1, max: 5 }), (options, every) => {
        const { placer } = bindPolicy(options.policy, parseTopology(options.topology), options.config)
        const { records } = run(options)
        const header = records[0] as Header
        const [exact, sampled] = [new CapacityOverTime(header, placer), new CapacityOverTime(header, placer, { every })]
        for (const record of records) for (const each of [exact, sampled]) each.add(record)
        const instants: Array<{ readonly t: number; readonly idle: number; readonly nodes: number }> = []
        const state = new LogState(header)
        for (const record of records.slice(1)) {
          if ('t' in record && record.t > state.t)
            instants.push({ t: state.t, idle: state.freeNodes.size, nodes: largestFit(state, placer).nodes })
          state.apply(record)
        }
        const at = (t: number) => instants.findLast((each) => each.t <= t)!
        const flat = (steps: ReturnType<typeof exact.end>) =>
          steps.slice(0, -1).map(({ t, idle, largest: { nodes } }) => ({ t, idle, nodes }))
        const steps = exact.end()
        for (const { t, idle, nodes } of instants)
          expect(flat(steps).findLast((step) => step.t <= t)).toMatchObject({ idle, nodes })
        for (const step of flat(sampled.end())) expect(step).toEqual({ ...at(step.t), t: step.t })
        const { largest, share } = capacityMeans(steps)
        const lasts = instants.map(({ t }, each) => (instants[each + 1]?.t ?? state.t) - t)
        const sum = instants.reduce((total, { nodes }, each) => total + nodes * lasts[each], 0)
        if (state.t === 0) expect([largest, share]).toEqual([null, null])
        else {
          expect(largest).toBeCloseTo(sum / state.t, 9)
          expect(share === null || (share >= 0 && share <= 1)).toBe(true)
        }
      }),
      { numRuns: 3 },
    )
  })

  it('capacityMeans weights steps by time, within a window, and leaves times without idle nodes out of the share', () => {
    const step = (t: number, idle: number, nodes: number) => ({ t, idle, largest: { nodes, isExact: true }, jobs: [] })
    const steps = [step(0, 10, 10), step(10, 0, 0), step(30, 8, 2), step(40, 8, 2)]
    expect(capacityMeans(steps)).toEqual({ idle: 4.5, largest: 3, share: 0.625 })
    expect(capacityMeans(steps, 30)).toEqual({ idle: 8, largest: 2, share: 0.25 })
    expect(capacityMeans(steps, 12, 20)).toEqual({ idle: 0, largest: 0, share: null })
    expect(capacityMeans(steps.slice(0, 1))).toEqual({ idle: null, largest: null, share: null })
  })
})
