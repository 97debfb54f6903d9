import { type Header, LogState, type Submit } from '@cloister/eventlog'
import { run, runs } from '@cloister/kernel/random-runs'
import { bindPolicy, type Placer } from '@cloister/placement'
import { parseTopology } from '@cloister/topology'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { fittingSizes, largestFit, RecordedCluster, relief } from '../src/index.ts'

/** Returns the state of a log without one of its running jobs, as if the job had just ended. */
function stateWithout(state: LogState, job: string): LogState {
  return new LogState(state.header, {
    seq: state.seq,
    t: state.t,
    ended: false,
    wasSubmitted: () => true,
    waiting: state.waiting.values(),
    running: [...state.running.values()].filter(({ submit }) => submit.job !== job),
    reservations: state.reservations.values(),
    routes: state.routes.values(),
    killed: state.killed.values(),
    downNodes: state.downNodes.ids(),
    downLinks: state.downLinks.map((links) => links.ids()),
  })
}

it('fittingSizes counts the jobs of each size that still fit, and relief finds the single changes that let the head start', () => {
  fc.assert(
    fc.property(runs, (options) => {
      const { topology, policy, config, runTimes } = options
      const { placer } = bindPolicy(policy, parseTopology(topology), config)
      const { records } = run(options)
      const state = new LogState(records[0] as Header)
      for (const [at, record] of records.slice(1).entries()) {
        if (at % 9 === 0 && runTimes === undefined) {
          const idle = state.freeNodes.size
          const found = fittingSizes(state, placer)
          expect(found.hasEverySize).toBe(true)
          expect(found.sizes).toEqual(Array.from({ length: idle }, (_, each) => each + 1))
          expect(found.jobs.every((jobs, each) => jobs * (each + 1) <= idle)).toBe(true)
          const largest = found.sizes.findLast((_, each) => found.jobs[each] > 0) ?? 0
          expect(largest).toBe(largestFit(state, placer).nodes)
          const few = fittingSizes(state, placer, { most: 40 })
          for (const [each, size] of few.sizes.entries()) expect(few.jobs[each]).toBe(found.jobs[size - 1])
          const help = relief(state, placer)
          expect(help === undefined).toBe(state.waiting.size === 0)
          if (help !== undefined) {
            const asks = (other: LogState): boolean => RecordedCluster.of(other, placer).ask(help.job, 'start').ok
            expect(help.fits).toBe(asks(state))
            if (!help.fits)
              expect([...help.releases].sort()).toEqual(
                [...state.running.keys()].filter((job) => asks(stateWithout(state, job))).sort(),
              )
            expect(help.releases).toEqual(expect.arrayContaining([...help.moves]))
          }
        }
        state.apply(record)
      }
    }),
    { numRuns: 25 },
  )
})

/** Machine of 16 nodes, and a placer that gives each job the first free nodes with consecutive numbers. */
const machine = parseTopology('radix:4')
const contiguous: Placer<unknown> = {
  claims: {
    links: 'shared',
    fullBandwidth: false,
    exactSize: true,
    monotone: true,
    complete: true,
    speedupScenarios: false,
  },
  place: (state, { nodes: size }) => {
    const free = new Int32Array(machine.nodes)
    let length = 0
    for (let leaf = 0; leaf < machine.leaves; leaf++) length += state.freeNodeIds(leaf, free, length)
    for (let at = 0; at + size <= length; at++)
      if (free[at + size - 1] - free[at] === size - 1) return { ok: true, nodes: free.slice(at, at + size), links: [] }
    return { ok: false, code: 'no-placement', constraint: 'neighbouring nodes' }
  },
}

it('relief finds the one running job, in the middle of the machine, whose end or move lets the head start', () => {
  const [options] = fc.sample(runs, { numRuns: 1, seed: 7 })
  const { names: _, ...given } = run(options).records[0] as Header
  const header: Header = {
    ...given,
    topology: { name: 'radix:4', pgft: { m: [2, 2, 4], w: [1, 2, 2], p: [1, 1, 1] } },
    policy: { ...given.policy, claims: { ...given.policy.claims, links: 'shared' } },
  }
  const submit = { type: 'submit', seq: 1, t: 0, estimate: 100 } as const
  const small: Submit = { ...submit, job: 'small', size: 1 }
  const state = new LogState(header, {
    seq: 4,
    t: 40,
    ended: false,
    wasSubmitted: () => true,
    waiting: [{ ...submit, seq: 2, job: 'large', size: 15 }],
    running: [
      {
        submit: small,
        allocate: { type: 'allocate', seq: 3, t: 0, cause: 1, job: 'small', nodes: '1' },
        ended: undefined,
        progress: undefined,
      },
    ],
    reservations: [],
    routes: [],
    killed: [],
    downNodes: [],
    downLinks: [],
  })
  expect(relief(state, contiguous)).toEqual({
    job: 'large',
    size: 15,
    fits: false,
    releases: ['small'],
    moves: ['small'],
    delay: 60,
    tried: 1,
    running: 1,
  })
  expect(fittingSizes(state, contiguous)).toEqual({
    largest: { nodes: 14, isExact: true },
    sizes: Array.from({ length: 15 }, (_, at) => at + 1),
    jobs: [15, 7, 4, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 0],
    hasEverySize: true,
  })
})
