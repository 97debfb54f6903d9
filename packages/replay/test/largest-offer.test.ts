import type { LogRecord } from '@cloister/eventlog'
import { numbered, run, type RunOptions, runs } from '@cloister/kernel/random-runs'
import { bindPolicy, type Outcome, type Placer, type Request } from '@cloister/placement'
import { baseline } from '@cloister/policy-baseline'
import { parseTopology } from '@cloister/topology'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Offer, rerunWithReasons } from '../src/index.ts'
import { LargestOffer } from '../src/largest-offer.ts'

const refusal: Outcome = { ok: false, code: 'no-placement', constraint: 'none' }
const requestAt = (t: number, nodes: number, purpose: Request['purpose'] = 'start'): Request => ({
  purpose,
  job: '7',
  nodes,
  now: 1000 * t,
  submitted: 0,
  estimate: undefined,
  bandwidth: undefined,
  communication: undefined,
})

describe('LargestOffer', () => {
  it('LargestOffer finds the largest size that the policy places at any refusal, and its first instant', () => {
    const most = fc.array(fc.nat(40), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(most, fc.integer({ min: 1, max: 41 }), (fitting, size) => {
        const offers = new LargestOffer('7')
        const asked: Array<number> = []
        fitting.forEach((fits, t) => {
          const place = ({ nodes }: Request): Outcome => {
            asked.push(nodes)
            return nodes <= fits ? { ok: true, nodes: [], links: [] } : refusal
          }
          offers.answered(requestAt(t, size), place(requestAt(t, size)), place)
        })
        const refused = fitting.map((fits) => (fits < size ? fits : -1))
        const best = Math.max(...refused)
        expect(offers.largest).toEqual(best < 0 ? undefined : { t: refused.indexOf(best), nodes: best })
        // A refusal costs one question, unless the refusal offers more than the refusals before.
        expect(asked.length).toBeLessThanOrEqual(2 * fitting.length + 6 * 41)
      }),
    )
  })

  it('LargestOffer leaves out other jobs, placements and reservations', () => {
    const offers = new LargestOffer('7')
    const place = (): Outcome => ({ ok: true, nodes: [], links: [] })
    offers.answered({ ...requestAt(0, 9), job: '8' }, refusal, place)
    offers.answered(requestAt(0, 9, 'reserve'), refusal, place)
    offers.answered(requestAt(0, 9), place(), place)
    expect(offers.largest).toBeUndefined()
    offers.answered(requestAt(1, 9, 'backfill'), refusal, place)
    expect(offers.largest).toEqual({ t: 1, nodes: 8 })
  })
})

describe('rerunWithReasons', () => {
  /** Placer of baseline that notes the free nodes at each refusal of a job. Baseline places any job on free nodes. */
  function noting(placer: Placer<any>, job: string, free: Array<Offer>): Placer<any> {
    const { claims, index } = placer
    return {
      claims,
      ...(index && { index }),
      place: (state, request, own) => {
        const outcome = placer.place(state, request, own)
        if (!outcome.ok && request.job === job && request.purpose !== 'reserve')
          free.push({ t: request.now / 1000, nodes: Math.min(state.freeNodes, request.nodes - 1) })
        return outcome
      },
    }
  }

  function offerIn(options: RunOptions, records: ReadonlyArray<LogRecord>, job: string, free: Array<Offer> = []) {
    const { policy, topology, config, runTimes } = options
    return rerunWithReasons(
      {
        records: () => records,
        policyName: policy.name,
        ...(runTimes && { runTimes }),
        bind: () => ({ placer: noting(bindPolicy(policy, parseTopology(topology), config).placer, job, free) }),
      },
      job,
    ).largestOffer
  }

  it('rerunWithReasons offers as many nodes as were free at the best refusal under baseline', () => {
    let offers = 0
    fc.assert(
      fc.property(runs, fc.nat(), (random, at) => {
        const options: RunOptions = { ...random, policy: baseline, config: {}, refusals: false }
        const job = options.jobs[at % options.jobs.length].id
        const free: Array<Offer> = []
        const found = offerIn(options, run(options).records, job, free)
        const best = Math.max(-1, ...free.map(({ nodes }) => nodes))
        expect(found).toEqual(free.find(({ nodes }) => nodes === best))
        if (found !== undefined) offers++
      }),
    )
    expect(offers).toBeGreaterThan(10)
  })

  it('rerunWithReasons names the first instant of the largest offer', () => {
    const jobs = numbered([
      { submit: 0, size: 10, runTime: 10_000, walltime: 10_000 },
      { submit: 0, size: 4, runTime: 5000, walltime: 5000 },
      { submit: 0, size: 16, runTime: 1000, walltime: 1000 },
    ])
    const options: RunOptions = {
      topology: 'radix:4',
      policy: baseline,
      config: {},
      queue: { backfill: 'easy', window: 2 },
      estimates: 'requested',
      overrun: 'run-on',
      refusals: false,
      jobs,
    }
    expect(offerIn(options, run(options).records, '3')).toEqual({ t: 5, nodes: 6 })
  })
})
