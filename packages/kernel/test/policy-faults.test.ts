import { auditLog } from '@cloister/audit'
import { type LogRecord, LogState } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import {
  MaskBuilder,
  MaskedPlacement,
  maskWords,
  type Outcome,
  type PlacementPolicy,
  type Request,
} from '@cloister/placement'
import { baseline } from '@cloister/policy-baseline'
import { parseTopology } from '@cloister/topology'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type BrokenRun,
  type BrokenWay,
  brokenPolicy,
  brokenWays,
  conservativeRuns,
  run,
  type RunLog,
  type RunOptions,
  runs,
  runToFault,
} from './random-runs.ts'

const anyRuns = fc.oneof(runs, conservativeRuns)

const withPolicy = (options: RunOptions, change: (policy: PlacementPolicy<any, any>) => PlacementPolicy<any, any>) => ({
  ...options,
  policy: change(options.policy),
})

/** Runs the simulation with the correct policy. `isReached`: the broken policy would replace an answer of the run. */
function soundRun(options: RunOptions, from: number, way: BrokenWay): RunLog & { readonly isReached: boolean } {
  let isReached = false
  const answer = (same: Outcome): Outcome => {
    isReached = true
    return same
  }
  const whole = run(withPolicy(options, (policy) => brokenPolicy(policy, from, { ...way, answer })))
  return { ...whole, isReached }
}

/** Returns the records before the fault, without seals, whose positions depend on the number of records. */
const decisions = (records: ReadonlyArray<LogRecord>): ReadonlyArray<LogRecord> =>
  records.filter(({ type }) => type !== 'seal' && type !== 'fault')

/** Expects the fault as the last record before its seal, and a log that every command can read. */
function expectEvidence({ records, outcome, error, bytes }: BrokenRun): void {
  const [fault, seal] = records.slice(-2)
  expect([fault.type, seal.type]).toEqual(['fault', 'seal'])
  expect(outcome).toMatchObject({ status: 'unsealed', sealed: records.length, fault: { seq: fault.seq } })
  const { seq, type, t, job, purpose, request, message, code } = fault as Extract<LogRecord, { type: 'fault' }>
  expect({ seq, time: t * 1000 }).toEqual(error.recorded)
  expect({ type, message, code }).toEqual({ type: 'fault', message: error.reason, code: error.code })
  expect(request).toEqual(JSON.parse(JSON.stringify(error.request)))
  expect(request).toMatchObject({ job, purpose })
  let state: LogState | undefined
  for (const each of records) {
    if (each.type === 'header') state = new LogState(each)
    else state!.apply(each)
  }
  expect(auditLog([bytes], sha256)).toMatchObject({ violations: [], status: 'unsealed' })
}

/** Returns a placement on radix:4 from masks of the nodes of leaves. */
function masked(leaves: ReadonlyArray<readonly [leaf: number, mask: number]>): MaskedPlacement {
  const builder = new MaskBuilder(maskWords(parseTopology('radix:4')))
  for (const [leaf, mask] of leaves) builder.addNodes(leaf, 0, mask)
  return new MaskedPlacement(builder.take())
}

const throwing = (): never => {
  throw new Error('no count')
}

describe('if a policy fails, the log has all earlier records and a fault record with the question', () => {
  it.each(Object.entries(brokenWays))('the policy %s', (_, way) => {
    fc.assert(
      fc.property(anyRuns, fc.nat(8), (options, from) => {
        const whole = soundRun(options, from, way)
        const broken = runToFault(withPolicy(options, (policy) => brokenPolicy(policy, from, way)))
        expect(broken !== undefined).toBe(whole.isReached)
        // If a random run ends before the policy's wrong answer, a different run is drawn, so every counted run ends
        // with a fault.
        fc.pre(broken !== undefined)
        expect(broken.error).toMatchObject({ code: way.code, reason: expect.stringMatching(way.says) })
        expectEvidence(broken)
        const led = decisions(broken.records)
        expect(led).toEqual(decisions(whole.records).slice(0, led.length))
      }),
      { numRuns: 25 },
    )
  })

  it('a policy that places a job on nodes of a running job ends the simulation with a fault', () => {
    let held: ReadonlyArray<number> = []
    const again = (answer: Outcome): Outcome => {
      if (!answer.ok) return answer
      if (held.length === 0) held = Array.from(answer.nodes)
      return { ok: true, nodes: held, links: [] }
    }
    const broken = runToFault(two(baseline, again))
    expect(broken?.error.reason).toMatch(/^gave job 2 a placement that is not free: node 0/)
    expectEvidence(broken!)
  })

  it('a planned start at the present instant on a node that does not exist ends the simulation with a fault', () => {
    const sizes = [3, 1, 2, 1, 36]
    const jobs = sizes.map((size, at) => ({
      submit: at < 3 ? 0 : 8000,
      size,
      runTime: 0,
      walltime: undefined,
      id: String(at + 1),
    }))
    const broken = runToFault({
      ...two(brokenPolicy(baseline, 8, brokenWays['gives a node that does not exist']), (answer) => answer),
      topology: 'pgft:3;4,3,3;1,2,2;1,1,1',
      queue: { backfill: 'conservative', window: 50 },
      jobs,
    })
    expect(broken?.error.reason).toMatch(/node 5000 does not exist/)
    expectEvidence(broken!)
  })

  it('the kernel finds at the next start that a policy uses one array for all answers', () => {
    const only = new Int32Array(4)
    const once = (answer: Outcome): Outcome => {
      if (!answer.ok) return answer
      only.set(Array.from(answer.nodes))
      return { ...answer, nodes: only.subarray(0, answer.nodes.length) }
    }
    const broken = runToFault(two(baseline, once))
    expect(broken?.error).toMatchObject({
      code: 'rewritten',
      reason:
        'changed its answer for job 1 after the answer: the same arrays now name nodes 2-3; return new arrays with each answer',
    })
    expectEvidence(broken!)
  })

  it('a placement whose masks have a node that does not exist ends the simulation with a fault', () => {
    const broken = runToFault(two(baseline, () => masked([[0, 0b100]])))
    expect(broken?.error.reason).toBe(
      'gave job 1 an invalid placement: masks that do not ascend, an empty mask, or a mask with a node or link that does not exist',
    )
    expectEvidence(broken!)
  })

  it('the kernel finds, when a job ends, that the policy has written to the masks of its answer for the job', () => {
    const given: Array<Array<number>> = []
    const late = (answer: Outcome, { job }: Request): Outcome => {
      if (!answer.ok) return answer
      if (job === '3') for (const nodes of given) nodes[2] = 0b01
      const placement = masked([[answer.nodes[0] >> 1, 0b11]])
      given.push(placement.masks.nodes as Array<number>)
      return placement
    }
    const broken = runToFault(two(baseline, late))
    expect(broken?.error).toMatchObject({ code: 'rewritten' })
    expectEvidence(broken!)
  })

  it('a copy of a placement that is given by masks is an answer like the placement', () => {
    const options = two(baseline, (answer) => (answer.ok ? masked([[answer.nodes[0] >> 1, 0b11]]) : answer))
    const copied = two(baseline, (answer) =>
      answer.ok ? Object.assign({}, masked([[answer.nodes[0] >> 1, 0b11]]), { note: 'a copy' }) : answer,
    )
    expect(run(copied).bytes).toEqual(run(options).bytes)
    expect(run(options).bytes).toEqual(run(two(baseline, (answer) => answer)).bytes)
  })

  it('the kernel finds, when a job ends, that the policy has written to its answer for the job', () => {
    const given: Array<Array<number>> = []
    const late = (answer: Outcome, { job }: Request): Outcome => {
      if (!answer.ok) return answer
      if (job === '3') for (const nodes of given) nodes[0] = 5
      const nodes = Array.from(answer.nodes)
      if (job === '1') given.push(nodes)
      return { ...answer, nodes }
    }
    const broken = runToFault(two(baseline, late))
    expect(broken?.error).toMatchObject({ code: 'rewritten', reason: expect.stringContaining('its answer for job 1') })
    expectEvidence(broken!)
  })

  it.each(['build', 'copy', 'changed'] as const)(
    'an error that index.%s of a policy throws ends the simulation with a fault',
    (hook) => {
      let left = 0
      const policy: PlacementPolicy<any, any> = {
        ...baseline,
        make(topology, config) {
          const placer = baseline.make(topology, config as never)
          if ('unsupported' in placer) return placer
          const step = (name: string): void => {
            if (name === hook && left-- === 0) throw new Error('no index')
          }
          const index = { build: () => step('build'), copy: () => step('copy'), changed: () => step('changed') }
          return { ...placer, index: index as never }
        },
      }
      const queue = { backfill: 'conservative', window: 5 } as const
      const broken = runToFault({ ...two(policy, (answer) => answer, [2, 2, 14]), queue })
      expect(broken?.error).toMatchObject({ code: 'throws', reason: `index.${hook} threw Error: no index` })
      if (hook === 'build') expect(broken?.error.recorded).toBeUndefined()
      else expectEvidence(broken!)
    },
  )

  it('if a new placement of the head has a nonexistent node, the log does not withdraw the reservation', () => {
    let reservations = 0
    const strange = (answer: Outcome, { purpose }: Request): Outcome =>
      answer.ok && purpose === 'reserve' && reservations++ > 0
        ? { ...answer, nodes: Array.from(answer.nodes).toSpliced(-1, 1, 5000) }
        : answer
    const queue = { backfill: 'easy', window: 5, reservation: 'movable', replan: true } as const
    const options = two(baseline, strange, [2, 2, 14])
    const next = { ...options.jobs[2], id: '4', submit: 3000 }
    const broken = runToFault({ ...options, jobs: [...options.jobs, next], queue })
    expect(broken?.error.reason).toContain('node 5000 does not exist')
    expect(broken?.records.map(({ type }) => type)).not.toContain('unreserve')
    expectEvidence(broken!)
  })

  it('the kernel finds a nonexistent node in a placement although the job is cancelled before its start', () => {
    const strange = (answer: Outcome, { job }: Request): Outcome =>
      answer.ok && job === '3' ? { ...answer, nodes: [5000] } : answer
    const queue = { backfill: 'none' } as const
    const broken = runToFault({ ...two(baseline, strange, [2, 2, 16]), queue, cancellations: [{ job: 2, time: 3000 }] })
    expect(broken?.error.reason).toContain('gave job 3 an invalid placement: node 5000 does not exist')
    expectEvidence(broken!)
  })

  it('a policy that refuses without a constraint for the log ends the simulation with a fault', () => {
    const silent = (): Outcome => ({ ok: false, code: 'never' }) as never
    const broken = runToFault(two(baseline, silent))
    expect(broken?.error.reason).toBe(
      'place returned constraint undefined (nothing); expected a text that says what failed',
    )
    expectEvidence(broken!)
  })

  it('a policy whose request key is no string and no number ends the simulation with a fault', () => {
    const policy: PlacementPolicy<any, any> = {
      ...baseline,
      make: (topology, config) => ({ ...baseline.make(topology, config as never), requestKey: () => ({}) }) as never,
    }
    const broken = runToFault(two(policy, (answer) => answer))
    expect(broken?.error.reason).toBe('requestKey returned a value of type object; expected a string or a number')
    expectEvidence(broken!)
  })

  it.each([
    [{ mostNodes: () => '12' }, 'mostNodes returned a value of type string; expected a number'],
    [{ mostNodes: throwing }, 'mostNodes threw Error: no count'],
    [{ mostNodesBeside: () => true }, 'mostNodesBeside returned a value of type boolean; expected a number'],
    [{ mostNodesBeside: throwing }, 'mostNodesBeside threw Error: no count'],
  ])('a bound of the policy that is invalid ends the simulation with a fault: %s', (bound, reason) => {
    const queue = { backfill: 'easy', window: 5, reservation: 'movable' } as const
    const policy: PlacementPolicy<any, any> = {
      ...baseline,
      make: (topology, config) => ({ ...baseline.make(topology, config as never), ...bound }) as never,
    }
    const broken = runToFault({ ...two(policy, (answer) => answer, [4, 14, 2]), queue })
    expect(broken?.error.reason).toBe(reason)
    expectEvidence(broken!)
  })

  it('a policy that answers after the time limit ends the simulation with a fault', () => {
    let questions = 0
    const timeLimit = {
      milliseconds: 250,
      call: <A>(question: () => A) => (questions++ < 3 ? { answer: question() } : undefined),
    }
    const broken = runToFault(
      two(baseline, (answer) => answer, [2, 2, 14]),
      timeLimit,
    )
    expect(broken?.error).toMatchObject({ code: 'time', reason: 'place gave no answer within 0.25 s' })
    expect(broken?.records.at(-2)).toMatchObject({ code: 'time', limit: 0.25 })
    expectEvidence(broken!)
  })

  it.each([
    ['a function', () => 0, 'place returned a note that is no JSON'],
    ['a big integer', 1n, 'place threw TypeError: Do not know how to serialize a BigInt'],
    ['deep lists', JSON.parse('['.repeat(70) + ']'.repeat(70)), 'place returned a note nested more than 64 deep'],
  ])(
    'a note of a placement that a log cannot hold ends the simulation with a fault: the note is %s',
    (_, note, says) => {
      const options = { ...two(baseline, (answer) => ({ ...answer, note }) as Outcome), refusals: true }
      const broken = runToFault(options)
      expect(broken?.error.reason).toBe(says)
      expectEvidence(broken!)
    },
  )
})

/** Two jobs of two nodes, and one job of all nodes, on 16 nodes. */
function two(
  policy: PlacementPolicy<any, any>,
  answer: (answer: Outcome, request: Request) => Outcome,
  sizes: ReadonlyArray<number> = [2, 2, 2],
): RunOptions {
  return {
    topology: 'radix:4',
    policy: brokenPolicy(policy, 0, { answer }),
    config: {},
    jobs: sizes.map((size, at) => ({
      id: String(at + 1),
      submit: at * 1000,
      size,
      runTime: 60_000,
      walltime: undefined,
    })),
    queue: { backfill: 'easy', window: 5 },
    estimates: 'exact',
    overrun: 'run-on',
    refusals: false,
  }
}
