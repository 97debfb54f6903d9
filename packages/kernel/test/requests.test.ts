/** What a policy is told with each question, and that the version of its contract changes nothing of a run. */
import { type Header, LogState } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { bindPolicy, currentPolicy, type PlacementPolicy, type Placer, type Request } from '@cloister/placement'
import { parseTopology } from '@cloister/topology'
import longLast from 'cloister-policy-long-last'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rerun, whyWaiting } from '../src/index.ts'
import { conservativeRuns, run, type RunOptions, runs } from './random-runs.ts'

/** The policy, which shows each request before it answers. */
function shown<Config, Index>(
  policy: PlacementPolicy<Config, Index>,
  show: (request: Request) => void,
): PlacementPolicy<Config, Index> {
  return {
    ...policy,
    make(topology, config) {
      const made = policy.make(topology, config)
      if ('unsupported' in made) return made
      return {
        claims: made.claims,
        ...(made.linkCapacity === undefined ? {} : { linkCapacity: made.linkCapacity }),
        ...(made.index === undefined ? {} : { index: made.index }),
        ...(made.requestKey === undefined ? {} : { requestKey: (request) => made.requestKey!(request) }),
        place(state, request, index) {
          show(request)
          return made.place(state, request, index)
        },
      }
    },
  }
}

describe('a request tells when the job was submitted for the first time', () => {
  const check = (options: RunOptions): void => {
    const submits = new Map(options.jobs.map(({ id, submit }) => [id, submit]))
    let asked = 0
    const policy = shown(options.policy, ({ job, submitted, now }) => {
      asked++
      expect(submitted).toBe(submits.get(job))
      expect(submitted).toBeLessThanOrEqual(now)
    })
    const { records } = run({ ...options, policy })
    const placer = bindPolicy(policy, parseTopology(options.topology), options.config).placer
    const { runTimes } = options
    rerun({ records: () => records, placer, policyName: policy.name, hash: sha256, ...(runTimes && { runTimes }) })
    const state = new LogState(records[0] as Header)
    for (const record of records.slice(1)) {
      state.apply(record)
      if (record.type === 'requeue') whyWaiting(state, placer, 5, runTimes)
    }
    expect(asked).toBeGreaterThan(0)
  }
  const requeueing = (options: RunOptions): RunOptions => ({ ...options, requeue: true })

  it('in simulations, in repeated ones and in states found in a log', () => {
    fc.assert(fc.property(runs.map(requeueing), check), { numRuns: 100 })
  })
  it('under conservative backfilling', () => {
    fc.assert(fc.property(conservativeRuns.map(requeueing), check), { numRuns: 50 })
  })
})

/** The policy of contract 1 as its author would bring it to contract 2. */
const native: PlacementPolicy<{ readonly long: number }, Int32Array> = {
  ...longLast,
  contract: 2,
  make: (topology, { long }) => {
    const isLong = ({ estimate }: Request): boolean => estimate !== undefined && estimate >= 1000 * long
    const placer: Placer<Int32Array> = {
      claims: {
        links: 'shared',
        fullBandwidth: false,
        exactSize: true,
        monotone: true,
        complete: true,
        speedupScenarios: true,
      },
      index: {
        build: (state) => Int32Array.from({ length: topology.leaves }, (_, leaf) => state.freeNodesOnLeaf(leaf)),
        copy: (from, into) => into.set(from),
        changed: (index, state, leaves) => {
          for (const leaf of Array.from(leaves)) index[leaf] = state.freeNodesOnLeaf(leaf)
        },
      },
      requestKey: (request) => `${request.nodes} ${isLong(request)}`,
      place(state, request, free) {
        if (request.nodes > topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
        if (request.nodes > state.freeNodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
        const ids = new Int32Array(state.freeNodes)
        let taken = 0
        for (const leaf of isLong(request) ? [...free.keys()].reverse() : free.keys())
          taken += state.freeNodeIds(leaf, ids, taken)
        return { ok: true, nodes: ids.slice(0, request.nodes).sort(), links: [] }
      },
    }
    return placer
  },
}

it('a policy of contract 1 and the same under contract 2 write equal logs', () => {
  fc.assert(
    fc.property(fc.oneof(runs, conservativeRuns), (options) => {
      const under = (policy: PlacementPolicy<any, any>): string => run({ ...options, policy, config: { long: 5 } }).text
      expect(under(currentPolicy(longLast))).toBe(under(native))
    }),
    { numRuns: 100 },
  )
})
