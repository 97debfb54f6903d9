import { auditLog } from '@cloister/audit'
import { adjustedRunTime, communicationCost, patternOf } from '@cloister/communication'
import { type LogRecord, LogWriter, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { describeRun, optionsOfRules, type QueueDiscipline, type RunTimes, simulate } from '@cloister/kernel'
import { bindPolicy, type PlacementPolicy, type StateView } from '@cloister/placement'
import { balanced } from '@cloister/policy-balanced'
import { greedy } from '@cloister/policy-greedy'
import { slurmTree } from '@cloister/policy-slurm-tree'
import { compareDecisions, recordedInputs, rerun } from '@cloister/replay'
import { parseTopology, type Topology } from '@cloister/topology'
import { makeWorkload } from '@cloister/workload'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { adaptive } from '../src/index.ts'

interface Run {
  readonly topology: string
  readonly policy: PlacementPolicy<any, any>
  readonly queue: QueueDiscipline
  /** True if the run time of a job depends on the cost of communication between its nodes. */
  readonly isCommunicationTimed: boolean
  readonly jobs: ReadonlyArray<{ readonly size: number; readonly seconds: number; readonly communicates: boolean }>
}

const runs: fc.Arbitrary<Run> = fc.record({
  topology: fc.constantFrom('kary:4:2', 'pgft:3;4,3,2;1,2,2;1,1,1'),
  policy: fc.constantFrom<PlacementPolicy<any, any>>(slurmTree, greedy, balanced, adaptive),
  queue: fc.constantFrom<QueueDiscipline>(
    { backfill: 'none' },
    { backfill: 'easy', window: 5 },
    { backfill: 'conservative', window: 5 },
  ),
  isCommunicationTimed: fc.boolean(),
  jobs: fc.array(
    fc.record({
      size: fc.integer({ min: 1, max: 9 }),
      seconds: fc.integer({ min: 0, max: 30 }),
      communicates: fc.boolean(),
    }),
    { minLength: 1, maxLength: 50 },
  ),
})

/** Returns run times by equation 7 of Mishra et al. The reference is Slurm's placement of the job in the same state. */
function communicationTimes(topology: Topology): RunTimes {
  const { placer } = bindPolicy(slurmTree, topology)
  return (state, request, placement, time) => {
    const byDefault = placer.place(state, request, undefined)
    if (request.communication === undefined || !byDefault.ok) return time
    const { pattern, share } = request.communication
    const cost = (nodes: ArrayLike<number>): number =>
      communicationCost(topology, (leaf) => state.communicatingNodesOnLeaf(leaf), nodes, patternOf(pattern)!)
    return adjustedRunTime(time, share, cost(placement.nodes), cost(byDefault.nodes))
  }
}

/** @param watch function that is called with the state of each request */
function simulated(
  { topology: spec, policy, queue, jobs, isCommunicationTimed }: Run,
  watch: (topology: Topology, state: StateView) => void,
): ReadonlyArray<Uint8Array> {
  const topology = parseTopology(spec)
  const bound = bindPolicy(policy, topology)
  const workload = makeWorkload(
    jobs.map(({ size, seconds, communicates }, at) => ({
      id: `${at}`,
      submit: 0,
      size,
      runTime: 1000 * seconds,
      walltime: undefined,
      ...(communicates ? { communication: { pattern: 'binomial-tree', share: 500 } } : {}),
    })),
    { name: 'random', filter: '' },
  )
  const chunks: Array<Uint8Array> = []
  const header = describeRun({
    workload,
    bound,
    program: 'test@1.0.0',
    options: {
      ...optionsOfRules({ queue, estimates: 'exact', overrun: 'run-on', refusals: false }, 'zero'),
      ...(isCommunicationTimed && { runTimes: 'communication' as const }),
    },
  })
  const recorder = new LogWriter(header, topology, (chunk) => chunks.push(chunk), sha256)
  const placer = {
    ...bound.placer,
    claims: bound.placer.claims,
    place: (...[state, request, index]: Parameters<typeof bound.placer.place>) => {
      watch(topology, state)
      return bound.placer.place(state, request, index)
    },
  }
  simulate({
    topology,
    policyName: policy.name,
    placer,
    workload,
    queue,
    estimates: 'exact',
    overrun: 'run-on',
    refusals: false,
    recorder,
    ...(isCommunicationTimed && { runTimes: communicationTimes(topology) }),
  })
  return chunks
}

function recordsOf(chunks: ReadonlyArray<Uint8Array>): ReadonlyArray<LogRecord> {
  const records: Array<LogRecord> = []
  const reading = readLog(chunks, sha256)
  for (let next = reading.next(); !next.done; next = reading.next()) records.push(next.value)
  return records
}

test('logs of adaptive, balanced, greedy and slurm-tree pass the audit, and a rerun of each log gives the same answers', () => {
  let sawCommunication = false
  let adjusted = 0
  fc.assert(
    fc.property(runs, (run) => {
      const chunks = simulated(run, (topology, state) => {
        for (let leaf = 0; leaf < topology.leaves; leaf++) {
          sawCommunication ||= state.communicatingNodesOnLeaf(leaf) > 0
          expect(state.communicatingNodesOnLeaf(leaf)).toBeLessThanOrEqual(state.busyNodesOnLeaf(leaf))
        }
      })
      const { violations, untestedClaims } = auditLog(chunks, sha256)
      expect(violations).toEqual([])
      // The audit cannot test run times that depend on the cost of communication. The rerun below tests them.
      expect(untestedClaims.filter(({ claim }) => !run.isCommunicationTimed || claim !== 'runTimes')).toEqual([])
      const records = recordsOf(chunks)
      const topology = parseTopology(run.topology)
      const { placer } = bindPolicy(run.policy, topology)
      const runTimes = run.isCommunicationTimed ? { runTimes: communicationTimes(topology) } : {}
      expect(rerun({ records: () => records, placer, policyName: run.policy.name, ...runTimes })).toMatchObject({
        compared: records.length,
        difference: undefined,
      })
      const starts = records.filter((record) => record.type === 'allocate')
      if (run.policy === slurmTree && run.queue.backfill === 'none')
        expect(starts.filter(({ estimate }) => estimate !== undefined)).toEqual([])
      for (const { estimate } of starts) adjusted += estimate === undefined ? 0 : 1
      if (run.queue.backfill === 'conservative') return
      const { counts } = compareDecisions(recordedInputs(records), records, placer, () => {}, runTimes.runTimes)
      // If run times depend on communication, `compareDecisions` may count a job that a pass refused as startable.
      expect({ ...counts, starts: run.isCommunicationTimed ? 0 : counts.starts }).toEqual({
        same: starts.length,
        elsewhere: 0,
        refuses: 0,
        starts: 0,
        accepts: 0,
      })
    }),
    { numRuns: 150 },
  )
  expect(sawCommunication).toBe(true)
  expect(adjusted).toBeGreaterThan(0)
})
