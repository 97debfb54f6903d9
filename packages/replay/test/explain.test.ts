import {
  type Allocate,
  FoldError,
  type Header,
  type LogRecord,
  LogState,
  resourcesOf,
  type Recorder,
} from '@cloister/eventlog'
import { type Simulation, simulate } from '@cloister/kernel'
import { conservativeRuns, numbered, run, type RunOptions, runs } from '@cloister/kernel/random-runs'
import { bindPolicy, type Placer } from '@cloister/placement'
import { baseline } from '@cloister/policy-baseline'
import { parseIdset, parseTopology } from '@cloister/topology'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { explain, type Explanation, rerun } from '../src/index.ts'
import { recordedPasses } from '../src/recorded-passes.ts'

/** Runs with long queues and narrow windows, so that jobs stand inside and outside of the window. */
const anyRuns = fc
  .tuple(
    fc.oneof({ arbitrary: runs, weight: 3 }, { arbitrary: conservativeRuns, weight: 1 }),
    fc.boolean(),
    fc.integer({ min: 1, max: 3 }),
  )
  .map(([options, isCrowded, window]): RunOptions => ({
    ...options,
    jobs: isCrowded ? options.jobs.map((job) => ({ ...job, size: Math.max(3, job.size), submit: 0 })) : options.jobs,
    queue: options.queue.backfill === 'none' ? options.queue : { ...options.queue, window },
  }))
const someRun = fc
  .tuple(anyRuns, fc.nat())
  .map(([options, at]) => ({ options, job: options.jobs[at % options.jobs.length].id }))

function explained(records: ReadonlyArray<LogRecord>, job: string): Explanation {
  return explain(() => records, job)!
}

function explainedByRerun(
  { policy, config, topology, runTimes }: RunOptions,
  records: ReadonlyArray<LogRecord>,
  job: string,
): Explanation {
  const { placer } = bindPolicy(policy, parseTopology(topology), config)
  return explain(
    () => records,
    job,
    rerun({ records: () => records, placer, policyName: policy.name, watch: job, ...(runTimes && { runTimes }) }),
  )!
}

describe('explain', () => {
  it('explains a wait equally from recorded refusals and from a rerun', () => {
    const withoutSeqs = (explanation: Explanation): unknown =>
      JSON.parse(JSON.stringify(explanation, (key, value) => (key === 'seq' ? undefined : value)))
    fc.assert(
      fc.property(someRun, ({ options, job }) => {
        const recorded = explained(run({ ...options, refusals: true }).records, job)
        expect(withoutSeqs(explainedByRerun(options, run({ ...options, refusals: false }).records, job))).toEqual(
          withoutSeqs(recorded),
        )
      }),
      { numRuns: 250 },
    )
  })

  it('counts a scheduling pass as head or window if the pass asked the policy about the job and did not start the job', () => {
    fc.assert(
      fc.property(someRun, ({ options, job }) => {
        const asked = new AskedPasses(job)
        const { records } = run({ ...options, refusals: true }, simulate, (simulation) => asked.watched(simulation))
        const { passes } = explained(records, job)
        const tried = passes.head + passes.window
        // Under conservative backfilling, the policy is not asked again about a reservation that stays.
        // Under counting, counts of nodes alone may rule out a job of the window.
        if (['conservative', 'counting'].includes(options.queue.backfill))
          expect(tried).toBeGreaterThanOrEqual(asked.refused)
        // The pass at the time of a reservation may leave no record.
        else if (options.queue.backfill === 'easy' && options.queue.kill === true)
          expect(tried).toBeLessThanOrEqual(asked.refused)
        else expect(tried).toBe(asked.refused)
      }),
      { numRuns: 250 },
    )
  })

  it('gives the heads for every wait behind the head, a reason for every wait at the head or in the window, and none for waits outside of the window', () => {
    fc.assert(
      fc.property(someRun, ({ options, job }) => {
        const { passes, waits, heads } = explained(run({ ...options, refusals: true }).records, job)
        const behind = waits.filter(({ place }) => place !== 'head' && place !== 'early')
        const seconds = behind.reduce((sum, { from, to }) => sum + to - from, 0)
        expect(heads.reduce((sum, head) => sum + head.seconds, 0)).toBeCloseTo(seconds, 6)
        expect(heads.map((head) => head.job)).not.toContain(job)
        for (const { place, reason } of waits) {
          if (place !== 'window' || options.queue.backfill !== 'counting')
            expect(reason === null).toBe(place === 'outside' || place === 'early')
        }
        for (const at of ['head', 'window', 'outside', 'early'] as const) {
          expect(waits.filter(({ place }) => place === at).reduce((sum, wait) => sum + wait.passes, 0)).toBe(
            passes[at] ?? 0,
          )
        }
        waits.forEach((wait, at) => {
          expect(wait.to).toBeGreaterThanOrEqual(wait.from)
          expect(waits[at + 1]?.from ?? Infinity).toBeGreaterThanOrEqual(wait.to)
        })
      }),
      { numRuns: 150 },
    )
  })

  it('names in overtakenBy the jobs that started from places behind the waiting job', () => {
    fc.assert(
      fc.property(someRun, ({ options: drawn, job }) => {
        // The test knows the orders whose scores never change.
        const isKnown = ['submit', 'smallest', 'largest', 'shortest'].includes(drawn.order ?? 'submit')
        const options = isKnown ? drawn : { ...drawn, order: 'smallest' }
        const { records } = run(options)
        const state = new LogState(records[0] as Header)
        const passed: Array<string> = []
        for (const record of records.slice(1)) {
          if (
            record.type === 'allocate' &&
            record.job !== job &&
            state.waiting.has(job) &&
            isBehind(record.job, job, options)
          )
            passed.push(record.job)
          state.apply(record)
        }
        expect(explained(records, job).overtakenBy.map((each) => each.job)).toEqual(passed)
      }),
      { numRuns: 150 },
    )
  })

  it("names in freed the ended jobs whose nodes went to the job's start", () => {
    fc.assert(
      fc.property(someRun, ({ options, job }) => {
        const { records } = run(options)
        const starts = explained(records, job).ends.filter(({ type }) => type === 'allocate') as ReadonlyArray<
          Extract<Explanation['ends'][number], { type: 'allocate' }>
        >
        const taken = takenFrom(records, job)
        expect(
          starts.map(({ freed }) => freed.flatMap(({ nodes }) => [...parseIdset(nodes)]).sort((a, b) => a - b)),
        ).toEqual(taken)
      }),
      { numRuns: 150 },
    )
  })

  it("gives every change of the job's reservation, with the causes of the change under EASY with a monotone policy", () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(anyRuns, (options) => {
        const { records } = run(options)
        const { monotone } = (records[0] as Header).policy.claims
        for (const { id } of options.jobs) {
          const { reservations } = explained(records, id)
          const made = records.filter((record) => record.type === 'reserve' && record.job === id).map(({ seq }) => seq)
          expect(reservations.filter(({ start }) => start !== null).map(({ seq }) => seq)).toEqual(made)
          for (const { change, because } of reservations) {
            because.forEach(({ event }) => seen.add(event))
            if (monotone && options.queue.backfill === 'easy' && change !== 'made')
              expect(because, change).not.toEqual([])
          }
        }
      }),
      { numRuns: 100 },
    )
    expect(seen.size).toBeGreaterThan(1)
  })

  it('throws only a FoldError if records of the log are missing, repeated or swapped', () => {
    const seen = { explained: 0, refused: 0 }
    fc.assert(
      fc.property(
        someRun,
        fc.nat(),
        fc.nat(),
        fc.constantFrom('drop', 'repeat', 'swap'),
        ({ options, job }, one, other, change) => {
          const records = [...run(options).records]
          const [from, to] = [1 + (one % (records.length - 1)), 1 + (other % (records.length - 1))]
          if (change === 'drop') records.splice(from, 1)
          else if (change === 'repeat') records.splice(to, 0, records[from])
          else [records[from], records[to]] = [records[to], records[from]]
          for (const attempt of [() => explain(() => records, job), () => explainedByRerun(options, records, job)]) {
            try {
              attempt()
              seen.explained++
            } catch (error) {
              expect(error).toBeInstanceOf(FoldError)
              seen.refused++
            }
          }
        },
      ),
      { numRuns: 200 },
    )
    expect(seen.explained).toBeGreaterThan(0)
    expect(seen.refused).toBeGreaterThan(0)
  })

  it('returns undefined for a job that the log does not have', () => {
    const { records } = run({ ...easy, jobs: numbered([{ submit: 0, size: 1, runTime: 1, walltime: undefined }]) })
    expect(explain(() => records, '2')).toBeUndefined()
  })

  it('explains a job of a log that was cut off', () => {
    fc.assert(
      fc.property(someRun, fc.nat(), ({ options, job }, at) => {
        const { records } = run({ ...options, refusals: false })
        const cut = records.slice(0, 1 + (at % records.length))
        const known = cut.some((record) => record.type === 'submit' && record.job === job)
        if (known)
          expect(explainedByRerun(options, cut, job).submitted).toBe(
            options.jobs.find(({ id }) => id === job)!.submit / 1000,
          )
        else expect(explain(() => cut, job)).toBeUndefined()
      }),
      { numRuns: 100 },
    )
  })
})

/** Finds the scheduling passes in which the policy was asked about a job and the job did not start. */
class AskedPasses {
  readonly #job: string
  readonly #asked = new Set<string>()
  readonly #startedIn = new Set<string>()
  /** Number of recorded inputs: two passes of the same instant differ in this number. */
  #inputs = 0

  constructor(job: string) {
    this.#job = job
  }

  get refused(): number {
    return [...this.#asked].filter((pass) => !this.#startedIn.has(pass)).length
  }

  watched(simulation: Simulation<any>): Simulation<any> {
    let healthy: unknown
    const placer: Placer<any> = {
      ...simulation.placer,
      claims: simulation.placer.claims,
      index: simulation.placer.index!,
      place: (state, request, index) => {
        // The first state of all questions is the empty machine, because a submitted job is first tested there.
        healthy ??= state
        if (request.job === this.#job && request.purpose !== 'reserve' && state !== healthy)
          this.#asked.add(`${request.now} ${this.#inputs}`)
        return simulation.placer.place(state, request, index)
      },
    }
    const recorder: Recorder = {
      record: (event) => {
        const isInput =
          ['submit', 'cancel', 'finish', 'down', 'up'].includes(event.type) ||
          (event.type === 'kill' && event.code !== 'reservation')
        if (isInput) this.#inputs++
        if (event.type === 'allocate' && event.job === this.#job) this.#startedIn.add(`${event.t} ${this.#inputs}`)
        return simulation.recorder.record(event)
      },
    }
    return { ...simulation, placer, recorder }
  }
}

function isBehind(one: string, other: string, { jobs, order, estimates }: RunOptions): boolean {
  const estimate = (job: RunOptions['jobs'][number]): number =>
    estimates === 'exact' ? job.runTime : (job.walltime ?? job.runTime)
  const inOrder = [...jobs].sort((a, b) =>
    order === 'smallest'
      ? a.size - b.size
      : order === 'largest'
        ? b.size - a.size
        : order === 'shortest'
          ? estimate(a) - estimate(b)
          : 0,
  )
  return inOrder.findIndex(({ id }) => id === one) > inOrder.findIndex(({ id }) => id === other)
}

/** Returns, for each start of a job, the started nodes that other jobs held before the events of the start's pass. */
function takenFrom(records: ReadonlyArray<LogRecord>, job: string): ReadonlyArray<ReadonlyArray<number>> {
  const state = new LogState(records[0] as Header)
  const taken: Array<ReadonlyArray<number>> = []
  const others = records.slice(1)
  for (const pass of recordedPasses(records)) {
    const held = new Set([...state.running.values()].flatMap(({ nodes }) => [...nodes]))
    const last = pass.records.at(-1)!.seq
    const start = pass.records.find((record): record is Allocate => record.type === 'allocate' && record.job === job)
    if (start !== undefined) taken.push([...resourcesOf(start).nodes].filter((node) => held.has(node)))
    while (others.length > 0 && others[0].seq <= last) state.apply(others.shift()!)
  }
  return taken
}

const easy: Omit<RunOptions, 'jobs'> = {
  topology: 'radix:4',
  policy: baseline,
  config: {},
  queue: { backfill: 'easy', window: 2 },
  estimates: 'requested',
  overrun: 'run-on',
  refusals: true,
}

/** Explains a job of a run on 16 nodes. Jobs are [submit, size, run time, walltime], times in seconds. */
function story(
  jobs: ReadonlyArray<readonly [number, number, number, number]>,
  job: string,
  order?: string,
): Explanation {
  return explained(
    run({
      ...easy,
      ...(order && { order }),
      jobs: numbered(
        jobs.map(([submit, size, runTime, walltime]) => ({
          submit: submit * 1000,
          size,
          runTime: runTime * 1000,
          walltime: walltime * 1000,
        })),
      ),
    }).records,
    job,
  )
}

describe('explain, worked examples', () => {
  it("explains a job that would still run at the start of another job's reservation", () => {
    // Nodes 0-11 are reserved for job 2 at 10 s, so that job 3 (5 nodes for 100 s) may use only four of the six free
    // nodes.
    expect(
      story(
        [
          [0, 10, 10, 10],
          [0, 12, 5, 5],
          [0, 5, 100, 100],
          [0, 4, 100, 100],
        ],
        '3',
      ),
    ).toMatchObject({
      passes: { head: 1, window: 1, outside: 0 },
      waits: [
        {
          from: 0,
          to: 10,
          passes: 1,
          place: 'window',
          reason: { constraint: 'reservation of job 2', nearest: { start: 10, end: 100 } },
        },
        {
          from: 10,
          to: 15,
          passes: 1,
          place: 'head',
          reason: { constraint: 'free nodes', nearest: { have: 0, need: 5 } },
        },
      ],
      heads: [{ job: '2', seconds: 10 }],
      reservations: [{ t: 10, change: 'made', start: 15 }],
      overtakenBy: [{ job: '4', t: 0, backfilled: false }],
      ends: [
        {
          type: 'allocate',
          t: 15,
          ahead: 0,
          freed: [{ job: '2', nodes: '0-4', links: 0 }],
          cause: { type: 'finish', job: '2' },
        },
      ],
    })
  })

  it('explains a reservation that moves sooner and later, and a job behind the window', () => {
    const jobs = [
      [0, 10, 8, 12],
      [0, 6, 3, 20],
      [0, 16, 1, 1],
      [0, 16, 1, 1],
      [0, 16, 1, 1],
      [0, 1, 1, 1],
    ] as const
    expect(story(jobs, '3').reservations).toMatchObject([
      { t: 0, change: 'made', start: 20, because: [] },
      { t: 3, change: 'sooner', start: 12, because: [{ event: 'early-end', job: '2' }] },
    ])
    expect(story(jobs, '6').waits[0]).toMatchObject({ place: 'outside', reason: null })
    const late = story(
      [
        [0, 10, 8, 5],
        [0, 16, 1, 1],
        [6, 1, 1, 1],
      ],
      '2',
    )
    expect(late.reservations).toMatchObject([
      { change: 'made', start: 5 },
      { t: 6, change: 'later', start: 7, because: [{ event: 'overrun', job: '1' }] },
      { t: 7, change: 'later', start: 8, because: [{ event: 'overrun', job: '1' }] },
    ])
    expect(late.overtakenBy).toMatchObject([{ job: '3', backfilled: true }])
  })
  it('explains an instant with two scheduling passes', () => {
    // Job 2 has the run time 0 and frees its nodes at once.
    expect(
      story(
        [
          [0, 10, 10, 10],
          [0, 6, 0, 0],
          [0, 12, 1, 1],
          [0, 5, 100, 100],
        ],
        '4',
      ).waits.slice(0, 2),
    ).toMatchObject([
      { from: 0, to: 0, passes: 1, reason: { constraint: 'free nodes' } },
      { from: 0, to: 10, passes: 1, reason: { constraint: 'reservation of job 3' } },
    ])
  })

  it('explains the head of the queue that loses its place to a smaller job', () => {
    expect(
      story(
        [
          [0, 10, 10, 10],
          [0, 16, 1, 1],
          [2, 12, 1, 1],
        ],
        '2',
        'smallest',
      ),
    ).toMatchObject({
      passes: { head: 2, window: 1 },
      reservations: [
        { t: 0, change: 'made', start: 10 },
        { t: 2, change: 'withdrawn', start: null, because: [{ event: 'other-head', job: '3' }] },
        { t: 10, change: 'made', start: 11 },
      ],
      ends: [{ t: 11, ahead: 0 }],
    })
  })

  it('explains a movable reservation under EASY that makes way for a job', () => {
    const jobs = [
      [0, 4, 1],
      [0, 8, 10],
      [1, 12, 5],
      [2, 4, 100],
    ].map(([submit, size, seconds]) => ({ submit: submit * 1000, size, runTime: seconds * 1000, walltime: undefined }))
    const { records } = run({
      ...easy,
      jobs: numbered(jobs),
      queue: { backfill: 'easy', window: 50, reservation: 'movable' },
      estimates: 'exact',
    })
    const start = records.find((record) => record.type === 'allocate' && record.job === '4')!
    expect(start).toMatchObject({ t: 2, nodes: '0-3' })
    expect(explained(records, '3').reservations).toMatchObject([
      { t: 1, change: 'made', start: 10, nodes: '0-11' },
      {
        t: 2,
        change: 'elsewhere',
        start: 10,
        nodes: '4-15',
        because: [{ event: 'made-way', job: '4', seq: start.seq }],
      },
    ])
  })

  it('explains a reservation under conservative backfilling that gives way to a job', () => {
    // Job 2 takes 8 s instead of its estimate of 5 s on node 0.
    const jobs = [
      [16, 10],
      [16, 5],
      [16, 1],
    ].map(([size, seconds]) => ({ submit: 0, size, runTime: seconds * 1000, walltime: undefined }))
    const { records } = run({
      ...easy,
      jobs: numbered(jobs),
      queue: { backfill: 'conservative', window: 50 },
      estimates: 'exact',
      runTimes: (_, { job }, placement, time) => (job === '2' && placement.nodes[0] === 0 ? time * 1.6 : time),
    })
    const start = records.find((record) => record.type === 'allocate' && record.job === '2')!
    expect(explained(records, '3').reservations.at(-1)).toMatchObject({
      change: 'later',
      start: 18,
      because: [{ event: 'in-the-way', job: '2', seq: start.seq }],
    })
  })
})
