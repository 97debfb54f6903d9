import { auditLog } from '@cloister/audit'
import { type LogRecord, LogWriter, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { describeRun, type QueueDiscipline, recordedInputs, secondOpinion, simulate } from '@cloister/kernel'
import { bindPolicy, type PlacementPolicy, type StateView } from '@cloister/placement'
import { balanced } from '@cloister/policy-balanced'
import { greedy } from '@cloister/policy-greedy'
import { slurmTree } from '@cloister/policy-slurm-tree'
import { parseTopology, type Topology } from '@cloister/topology'
import { makeWorkload } from '@cloister/trace-io'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { adaptive } from '../src/index.ts'

interface Run {
  readonly topology: string
  readonly policy: PlacementPolicy<any, any>
  readonly queue: QueueDiscipline
  readonly jobs: ReadonlyArray<{ readonly size: number; readonly seconds: number; readonly communicates: boolean }>
}

const runs: fc.Arbitrary<Run> = fc.record({
  topology: fc.constantFrom('kary:4:2', 'pgft:3;4,3,2;1,2,2;1,1,1'),
  policy: fc.constantFrom<PlacementPolicy<any, any>>(slurmTree, greedy, balanced, adaptive),
  queue: fc.constantFrom<QueueDiscipline>({ order: 'submit', backfill: 'none' }, { order: 'submit', backfill: 'easy', window: 5 }),
  jobs: fc.array(fc.record({ size: fc.integer({ min: 1, max: 9 }), seconds: fc.integer({ min: 0, max: 30 }), communicates: fc.boolean() }), { minLength: 1, maxLength: 50 }),
})

/** @param watch is told of each state that the policy is asked about */
function simulated({ topology: spelling, policy, queue, jobs }: Run, watch: (topology: Topology, state: StateView) => void): ReadonlyArray<Uint8Array> {
  const topology = parseTopology(spelling)
  const bound = bindPolicy(policy, topology)
  const workload = makeWorkload(jobs.map(({ size, seconds, communicates }, at) => ({
    id: `${at}`, submit: 0, size, runTime: 1000 * seconds, walltime: undefined, ...(communicates ? { communication: { pattern: 'binomial-tree', share: 500 } } : {}),
  })), { name: 'random', filter: '' })
  const chunks: Array<Uint8Array> = []
  const header = describeRun({ workload, bound, queue, walltime: 'exact', overrun: 'run-on', arrivals: 'zero', seed: 1, decisions: false, program: 'test@1.0.0' })
  const recorder = new LogWriter(header, topology, (chunk) => chunks.push(chunk), sha256)
  const placer = {
    ...bound.placer, claims: bound.placer.claims,
    place: (...[state, request, index]: Parameters<typeof bound.placer.place>) => {
      watch(topology, state)
      return bound.placer.place(state, request, index)
    },
  }
  simulate({ topology, policyName: policy.name, placer, workload, queue, walltime: 'exact', overrun: 'run-on', decisions: false, recorder })
  return chunks
}

function recordsOf(chunks: ReadonlyArray<Uint8Array>): ReadonlyArray<LogRecord> {
  const records: Array<LogRecord> = []
  const reading = readLog(chunks, sha256)
  for (let next = reading.next(); !next.done; next = reading.next()) records.push(next.value)
  return records
}

test('logs of the family pass the audit, and asked again in the states of its log each policy answers the same', () => {
  let sawCommunication = false
  fc.assert(fc.property(runs, (run) => {
    const chunks = simulated(run, (topology, state) => {
      for (let leaf = 0; leaf < topology.leaves; leaf++) {
        sawCommunication ||= state.communicatingNodesOnLeaf(leaf) > 0
        expect(state.communicatingNodesOnLeaf(leaf)).toBeLessThanOrEqual(state.busyNodesOnLeaf(leaf))
      }
    })
    expect(auditLog(chunks, sha256)).toMatchObject({ ok: true, violations: [], untestedClaims: [] })
    const records = recordsOf(chunks)
    const { counts } = secondOpinion(recordedInputs(records), records, bindPolicy(run.policy, parseTopology(run.topology)).placer, () => {})
    expect(counts).toEqual({ same: records.filter(({ type }) => type === 'allocate').length, elsewhere: 0, refuses: 0, starts: 0, accepts: 0 })
  }), { numRuns: 150 })
  expect(sawCommunication).toBe(true)
})
