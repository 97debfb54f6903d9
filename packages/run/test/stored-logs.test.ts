/**
 * Logs of an early version of the program, under every policy and queue discipline. The metrics and explanations of the
 * early version still hold.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { auditLog } from '@cloister/audit'
import { type Header, headerTopology, type LogRecord, LogState } from '@cloister/eventlog'
import { openLogFile, readLogFile, sha256 } from '@cloister/eventlog/node'
import { computeMetrics, type Metrics } from '@cloister/metrics'
import { bindPolicy } from '@cloister/placement'
import adaptive from '@cloister/policy-adaptive'
import balanced from '@cloister/policy-balanced'
import baseline from '@cloister/policy-baseline'
import contiguous from '@cloister/policy-contiguous'
import greedy from '@cloister/policy-greedy'
import jigsaw from '@cloister/policy-jigsaw'
import laas from '@cloister/policy-laas'
import leastConstrained from '@cloister/policy-least-constrained'
import slurmTree from '@cloister/policy-slurm-tree'
import ta from '@cloister/policy-ta'
import { explain, rerun, type RerunResult } from '@cloister/replay'
import { Effect } from 'effect'
import { describe, expect, it } from 'vitest'
import { type AnyPolicy, routingOf, runTimesOf } from '../src/index.ts'
import { givenPolicies } from '../src/node/index.ts'

const folder = join(import.meta.dirname, 'stored-logs')
const policies: ReadonlyArray<AnyPolicy> = [
  adaptive,
  balanced,
  baseline,
  contiguous,
  greedy,
  jigsaw,
  laas,
  leastConstrained,
  slurmTree,
  ta,
]
const logs = readdirSync(folder).filter((name) => name.endsWith('.zst'))
/** Explanation of the wait of one job in each log, by the early version. */
const explanations: Readonly<Record<string, { readonly job: string }>> = JSON.parse(
  readFileSync(join(folder, 'explanations.json'), 'utf8'),
)

/** Metrics of each log, by the early version; `placement` by the first version that measured placements. */
const measured: Readonly<Record<string, Metrics>> = JSON.parse(readFileSync(join(folder, 'metrics.json'), 'utf8'))

/** Runs the log's policy again, found by its name in the header. */
async function repeat(records: ReadonlyArray<LogRecord>, watch: string): Promise<RerunResult> {
  const header = records[0] as Header
  const topology = headerTopology(header)
  const policy = policies.find(({ name }) => name === header.policy.name)!
  const bound = bindPolicy<any, any>(policy, topology, header.policy.config)
  const runTimes = await Effect.runPromise(
    runTimesOf(header.options, topology).pipe(Effect.provide(givenPolicies(policies))),
  )
  const routing = routingOf(header.router?.name, topology, bound)
  return rerun({
    records: () => records,
    placer: bound.placer,
    policyName: policy.name,
    watch,
    ...(routing && { routing }),
    ...(runTimes && { runTimes }),
  })
}

describe('a stored log', () => {
  it('a stored log exists for every policy', () => {
    expect(policies.filter(({ name }) => !logs.some((log) => log.startsWith(`${name}-`)))).toEqual([])
    expect(Object.keys(explanations).map((name) => `${name}.ndjson.zst`)).toEqual(logs)
  })

  describe.each(logs)('%s', (name) => {
    const path = join(folder, name)
    const records = [...readLogFile(path)]
    const { job, ...explanation } = explanations[name.slice(0, -'.ndjson.zst'.length)]

    it('a stored log has the same decisions in a rerun, and the same explanation', async () => {
      const repeated = await repeat(records, job)
      expect(repeated).toMatchObject({ compared: records.length, difference: undefined })
      // The early version did not name the heads of the queue during the wait.
      const { heads: _, ...explained } = explain(() => records, job, repeated)!
      expect(explained).toEqual({ job, ...explanation })
    })

    it('a stored log can be folded to its end, and has the same metrics', () => {
      const [header, ...rest] = records
      const state = new LogState(header as Header)
      for (const record of rest) state.apply(record)
      expect(state).toMatchObject({ ended: true, seq: records.length - 1 })
      // Later versions also measure rates, moves and the use of node-time. The stored logs have no rates and no moves.
      const {
        history,
        contention,
        migration,
        notPlaced,
        nodeTime,
        nodeHours: _,
        ...others
      }: Metrics = JSON.parse(JSON.stringify(computeMetrics(records)))
      expect(notPlaced.rejected.jobs).toBe(others.jobs.rejected)
      expect(notPlaced.waiting.jobs).toBe(0)
      expect(contention).toEqual({ mean: null, max: null, slowed: null })
      expect(history).toEqual({ wait: null, error: null, rankCorrelation: null })
      expect(migration).toEqual({ moves: null, cost: null, useful: null })
      expect(Object.values(nodeTime!).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12)
      expect(others).toEqual(measured[name.slice(0, -'.ndjson.zst'.length)])
    })

    it('a stored log passes the audit', () => {
      const { status, violations, untestedClaims } = auditLog(openLogFile(path), sha256)
      expect([status, violations]).toEqual(['whole', []])
      // Only a rerun tests run times by communication; the audit does not.
      const isTimed = name.includes('communication') || name.startsWith('adaptive-kill')
      expect(untestedClaims.map(({ claim }) => claim)).toEqual(isTimed ? ['runTimes'] : [])
    })
  })
})
