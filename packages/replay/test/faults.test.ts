import { type Header, type LogRecord, LogState } from '@cloister/eventlog'
import {
  brokenPolicy,
  brokenWays,
  conservativeRuns,
  jobsOf,
  run,
  type RunOptions,
  runs,
  runToFault,
  varied,
} from '@cloister/kernel/random-runs'
import { bindPolicy } from '@cloister/placement'
import { baseline } from '@cloister/policy-baseline'
import { parseTopology } from '@cloister/topology'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  askAgain,
  explain,
  RecordedCluster,
  recordedInputs,
  type RepeatedRerun,
  rerun,
  type Rerun,
  rerunWithReasons,
  whyWaiting,
} from '../src/index.ts'

const anyRuns = fc.oneof(runs, conservativeRuns)

/** Returns the configuration of a rerun with the policy of the options. This policy need not be the log's policy. */
function repetition(options: RunOptions, records: ReadonlyArray<LogRecord>): Rerun<any> {
  const { placer } = bindPolicy(options.policy, parseTopology(options.topology), options.config)
  const { policy, runTimes } = options
  return { records: () => records, placer, policyName: policy.name, ...(runTimes && { runTimes }) }
}

/**
 * Returns the input of `rerunWithReasons` and `askAgain`: `bind` binds the policy again for each of two simulations.
 */
function repetitions(options: RunOptions, records: ReadonlyArray<LogRecord>): RepeatedRerun<any> {
  const { placer: _, ...rest } = repetition(options, records)
  return { ...rest, bind: () => repetition(options, records) }
}

const ways = fc.constantFrom(...Object.values(brokenWays))

/**
 * Returns the log of a run whose policy fails from question number `from` on; undefined if the run asks fewer
 * questions.
 */
function broken(options: RunOptions, from: number, way: Parameters<typeof brokenPolicy>[2]) {
  const withFault = { ...options, policy: brokenPolicy(options.policy, from, way) }
  const log = runToFault(withFault)
  return log && { ...log, options: withFault }
}

describe('a log that ends with a fault of its policy', () => {
  it('rerun finds no difference and returns the fault if the policy fails at the same question again', () => {
    fc.assert(
      fc.property(anyRuns, fc.nat(30), ways, (options, from, way) => {
        const log = broken(options, from, way)
        if (log === undefined) return
        const { difference, compared, fault } = rerun(repetition(log.options, log.records))
        expect(difference).toBeUndefined()
        expect(compared).toBe(log.records.length)
        expect(fault).toMatchObject({ reason: log.error.reason, request: log.error.request })
      }),
      { numRuns: 100 },
    )
  })

  it('rerun finds a difference at the fault record if the policy no longer fails', () => {
    let seen = 0
    fc.assert(
      fc.property(anyRuns, fc.nat(30), ways, (options, from, way) => {
        const log = broken(options, from, way)
        if (log === undefined) return
        const { difference, fault } = rerun(repetition(options, log.records))
        expect(fault).toBeUndefined()
        // An answer about the empty machine or a later time may lead to no record.
        if (difference === undefined) return
        seen++
        expect(difference).toMatchObject({ seq: log.error.recorded!.seq, recorded: { type: 'fault' }, answers: [] })
      }),
      { numRuns: 100 },
    )
    expect(seen).toBeGreaterThan(20)
  })

  it('rerun finds a difference whose repeated record is a fault if the policy fails, but did not fail in the log', () => {
    fc.assert(
      fc.property(anyRuns, fc.nat(30), (options, from) => {
        const log = broken(options, from, brokenWays['throws a text'])
        if (log === undefined) return
        const { records } = run(options)
        const { difference, fault } = rerun(repetition(log.options, records))
        expect(fault).toBeUndefined()
        expect(difference).toMatchObject({ repeated: { type: 'fault', message: 'place threw "no leaf"' } })
      }),
      { numRuns: 60 },
    )
  })

  it('explain explains a wait from a log that ends with a fault', () => {
    fc.assert(
      fc.property(runs, fc.nat(30), ways, (options, from, way) => {
        const log = broken(options, from, way)
        if (log === undefined) return
        const job = log.error.request!.job
        const { reasons } = rerunWithReasons(repetitions(log.options, log.records), job)
        expect(explain(() => log.records, job, reasons)?.job).toBe(job)
      }),
      { numRuns: 30 },
    )
  })

  it('rerunWithReasons finds the same difference as rerun, even if the policy counts questions', () => {
    fc.assert(
      fc.property(runs, fc.nat(30), ways, fc.nat(), (options, from, way, at) => {
        const log = broken(options, from, way)
        if (log === undefined) return
        const jobs = log.records.flatMap((record) => (record.type === 'submit' ? [record.job] : []))
        const plain = rerun(repetition(log.options, log.records))
        const watched = rerunWithReasons(repetitions(log.options, log.records), jobs[at % jobs.length])
        expect([watched.difference, watched.compared]).toEqual([plain.difference, plain.compared])
        expect(watched.fault?.reason).toBe(plain.fault?.reason)
      }),
      { numRuns: 100 },
    )
  })
})

describe('a policy that fails only at questions that its run did not ask', () => {
  // 54 nodes: the first two jobs hold 53. Without a question, the run knows that one free node is too few for jobs 3
  // and 4.
  const options: RunOptions = {
    topology: 'radix:6',
    policy: { ...baseline, make: failingWithTooFew },
    config: {},
    queue: { backfill: 'easy', window: 4, reservation: 'movable' },
    estimates: 'exact',
    overrun: 'run-on',
    refusals: false,
    jobs: jobsOf([0, 50, 2000], [0, 3, 2000], [0, 2, 1000], [0, 3, 2000]),
  }

  /** Returns Baseline, except that a request for more than the free nodes throws. */
  function failingWithTooFew(...given: Parameters<typeof baseline.make>): ReturnType<typeof baseline.make> {
    const placer = baseline.make(...given)
    if ('unsupported' in placer) return placer
    return {
      ...placer,
      place: (state, request, index) => {
        if (request.nodes > state.freeNodes) throw new Error('too few')
        return placer.place(state, request, index)
      },
    }
  }

  it("rerunWithReasons finds no difference, and gives the policy's failure as a reason", () => {
    const { records } = run(options)
    const found = rerunWithReasons(repetitions(options, records), '3')
    expect(found.difference).toBeUndefined()
    expect(found.reasons.compared).toBe(Infinity)
    const reasons = explain(() => records, '3', found.reasons)!.waits.map(({ reason }) => reason?.constraint)
    expect(reasons).toContain('the policy fails at this request')
  })

  it('whyWaiting answers about all jobs, with each failure of the policy as a refusal', () => {
    const { records } = run(options)
    const state = new LogState(records[0] as Header)
    for (const record of records.slice(1)) {
      state.apply(record)
      if (record.type === 'allocate' && record.job === '2') break
    }
    const { placer } = bindPolicy(options.policy, state.topology, {})
    const constraint = 'the policy fails at this request: place threw Error: too few'
    expect(whyWaiting(state, placer, 9).map(({ reason }) => reason)).toEqual([
      { kind: 'refused', refusal: { ok: false, code: 'no-placement', constraint } },
      { kind: 'refused', refusal: { ok: false, code: 'no-placement', constraint } },
    ])
  })

  it('askAgain asks the policy only the questions of its run', () => {
    const { policy, ...others } = options
    const bounded: RunOptions = { ...others, policy: { ...policy, make: boundedPolicy } }
    const { records } = run(bounded)
    const last = records.findLast(({ type }) => type === 'allocate')!
    const halt = askAgain(repetitions(bounded, records), last.seq, ({ ask }) => ask())
    expect(halt).toMatchObject({ record: { seq: last.seq }, answer: { ok: true } })
  })

  /** Returns Baseline with `mostNodes` of 54 on the empty machine, else 2; a larger request throws. */
  function boundedPolicy(...given: Parameters<typeof baseline.make>): ReturnType<typeof baseline.make> {
    const placer = baseline.make(...given)
    if ('unsupported' in placer) return placer
    const mostNodes = ({ freeNodes }: { readonly freeNodes: number }): number => (freeNodes < 54 ? 2 : 54)
    return {
      ...placer,
      mostNodes,
      place: (state, request, index) => {
        if (request.nodes > mostNodes(state)) throw new Error('more than it said')
        return placer.place(state, request, index)
      },
    }
  }
})

it('RecordedCluster.ask throws a PolicyFaultError if the policy fails', () => {
  fc.assert(
    fc.property(runs, ways, (options, way) => {
      const { records } = run(options)
      const { placer } = bindPolicy(
        brokenPolicy(options.policy, 0, { ...way }),
        parseTopology(options.topology),
        options.config,
      )
      const cluster = new RecordedCluster(recordedInputs(records).header, placer)
      for (const record of records) {
        cluster.apply(record)
        if (record.type !== 'submit') continue
        try {
          const answer = cluster.ask(record.job, 'start')
          // `ask` does not check that the placement's nodes are free.
          expect(way.places).toBe(true)
          expect(!answer.ok || way.code === 'placement').toBe(true)
        } catch (error) {
          expect(error).toMatchObject({ _tag: 'PolicyFaultError', code: way.code, request: { job: record.job } })
        }
      }
    }),
    { numRuns: 60 },
  )
})

describe('askAgain', () => {
  it('halts at the failed question for the record of a fault', () => {
    fc.assert(
      fc.property(anyRuns, fc.nat(30), (options, from) => {
        const free: Array<number> = []
        const way = { ...brokenWays['throws a text'] }
        const log = broken(options, from, way)
        if (log === undefined) return
        const seq = log.error.recorded!.seq
        const halt = askAgain(repetitions(log.options, log.records), seq, ({ request, state, ask }) => {
          free.push(state.freeNodes)
          expect(ask).toThrow('no leaf')
          return request
        })
        expect(free).toHaveLength(1)
        expect(halt).toMatchObject({
          record: { seq, type: 'fault' },
          request: log.error.request,
          before: { seq: seq - 1 },
        })
        expect(halt?.answer).toEqual(log.error.request)
      }),
      { numRuns: 60 },
    )
  })

  it('halts at the question whose answer has the started nodes, even after later answers with different nodes', () => {
    const queue = { backfill: 'conservative', window: 4, reservation: 'movable' } as const
    const options: RunOptions = {
      topology: 'radix:6',
      policy: baseline,
      config: {},
      queue,
      order: 'smallest',
      estimates: 'exact',
      overrun: 'run-on',
      refusals: true,
      outages: [
        { time: 0, change: 'down', resources: { nodes: [4], links: [] } },
        { time: 2000, change: 'up', resources: { nodes: [4], links: [] } },
      ],
      jobs: jobsOf([0, 50, 0], [0, 3, 2000], [0, 1, 2000], [1000, 2, 2000]),
      runTimes: varied,
    }
    const { records } = run(options)
    for (const record of records) {
      if (record.type !== 'allocate') continue
      const halt = askAgain(repetitions(options, records), record.seq, ({ ask }) => ask())
      if (halt?.answer.ok) expect(Array.from(halt.answer.nodes)).toEqual(idsOf(record.nodes))
    }
  })

  it("halts, for any start, at the question whose answer has the record's nodes", () => {
    fc.assert(
      fc.property(anyRuns, fc.nat(), (options, which) => {
        const { records } = run(options)
        const starts = records.flatMap((record) => (record.type === 'allocate' ? [record] : []))
        fc.pre(starts.length > 0)
        const start = starts[which % starts.length]
        const halt = askAgain(repetitions(options, records), start.seq, ({ ask }) => ask())
        expect(halt).toMatchObject({ record: { seq: start.seq }, request: { job: start.job } })
        const answer = halt!.answer
        if (answer.ok) expect(idsOf(start.nodes)).toEqual(Array.from(answer.nodes))
        // After a refusal, the job starts on its reserved nodes.
        else expect(records.some(({ type, seq }) => type === 'reserve' && seq < start.seq)).toBe(true)
      }),
      { numRuns: 150 },
    )
  })

  it('returns undefined if the log ends before the record', () => {
    fc.assert(
      fc.property(runs, (options) => {
        const { records } = run(options)
        const never = (): never => expect.fail('nothing is to be asked')
        expect(askAgain(repetitions(options, records), records.length, never)).toBeUndefined()
      }),
      { numRuns: 20 },
    )
  })
})

function idsOf(idset: string): ReadonlyArray<number> {
  return idset.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, at) => first + at)
  })
}
