/** Whole audited simulations of real logs. Skipped if the logs are absent; traces/README.md says where to get them. */
import { existsSync } from 'node:fs'
import { auditLog } from '@cloister/audit'
import { countingRecorder, LogWriter, type Recorder } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { bindPolicy } from '@cloister/placement'
import { baseline } from '@cloister/policy-baseline'
import { jigsaw } from '@cloister/policy-jigsaw'
import { parseTopology } from '@cloister/topology'
import { loadWorkload } from '@cloister/trace-io/node'
import { describe, expect, it } from 'vitest'
import { describeRun, optionsOfRules, estimateOf, simulate } from '../src/index.ts'
import { conservativeStartsByCounts } from './conservative-by-counts.ts'
import { startsByCounts } from './easy-by-counts.ts'

const folder = process.env['CLOISTER_TRACE_DIR'] ?? '../../../shared/traces'
const KTH = 'pgft:2;10,10;1,10;1,1'
const queue = { backfill: 'easy', window: 50 } as const

function auditedRun(
  trace: string,
  topologyName: string,
  policy: typeof baseline | typeof jigsaw,
  estimates: 'exact' | 'requested',
  overrun: 'run-on' | 'kill',
  filter?: string,
): object {
  const topology = parseTopology(topologyName)
  const { workload, arrivals } = loadWorkload(trace, { folders: [folder], ...(filter !== undefined && { filter }) })
  const bound = bindPolicy<any, any>(policy, topology)
  const header = describeRun({
    workload,
    bound,
    program: 'cloister@test',
    options: optionsOfRules({ queue, estimates, overrun, refusals: false }, arrivals),
  })
  const chunks: Array<Uint8Array> = []
  const recorder = new LogWriter(header, topology, (chunk) => chunks.push(chunk), sha256)
  const { totals } = simulate({
    topology,
    policyName: policy.name,
    placer: bound.placer,
    workload,
    queue,
    estimates,
    overrun,
    refusals: false,
    recorder,
  })
  return summary(totals, auditLog(chunks, sha256))
}

/**
 * Returns the starts of a log's jobs (without jobs of zero length) with movable reservations and without a network, and
 * the starts by counts.
 */
function bothStarts(
  trace: string,
  nodes: number,
  backfill: 'easy' | 'conservative',
  estimates: 'exact' | 'requested',
  first: string,
): readonly [object, object] {
  const topology = parseTopology(`pgft:1;${nodes};1;1`)
  const { workload } = loadWorkload(trace, { folders: [folder], filter: `runtime>0${first}` })
  const starts = new Map<string, number>()
  const counting = countingRecorder()
  const recorder: Recorder = {
    record: (event) => {
      if (event.type === 'allocate') starts.set(event.job, event.t)
      return counting.record(event)
    },
  }
  simulate({
    topology,
    policyName: baseline.name,
    placer: bindPolicy<any, any>(baseline, topology).placer,
    workload,
    queue: { backfill, window: 1_000_000, reservation: 'movable' },
    estimates,
    overrun: 'kill',
    refusals: false,
    recorder,
  })
  const jobs = [...workload.jobs].map((job) => {
    const estimate = estimateOf(job, estimates)
    return { submit: job.submit, size: job.size, estimate, runTime: Math.min(job.runTime, estimate) }
  })
  const counted = backfill === 'easy' ? startsByCounts(jobs, nodes) : conservativeStartsByCounts(jobs, nodes)
  return [[...workload.jobs].map(({ id }) => starts.get(id)), counted]
}

function summary(totals: ReturnType<typeof simulate>['totals'], report: ReturnType<typeof auditLog>): object {
  return {
    started: totals.started,
    ended: totals.finished + totals.killed,
    killed: totals.killed,
    ok: report.ok,
    violations: report.violations,
  }
}

/** Expects that all jobs started and ended, and that the audit finds no fault. */
function sound(jobs: number): object {
  return { started: jobs, ended: jobs, killed: 0, ok: true, violations: [] }
}

describe.skipIf(!existsSync(folder))(`real logs in ${folder} (set CLOISTER_TRACE_DIR to another folder)`, () => {
  it('the auditor finds no fault in a run of Atlas under baseline, all jobs submitted at time 0', () => {
    expect(auditedRun('atlas', 'radix:18', baseline, 'exact', 'run-on')).toEqual(sound(29_700))
  })

  it('the auditor finds no fault in a run of KTH-SP2 under baseline with its arrivals and estimates; overruns run on', () => {
    expect(auditedRun('kth', KTH, baseline, 'requested', 'run-on')).toEqual(sound(28_475))
  })

  it('the auditor finds no fault in a run of KTH-SP2 under jigsaw with its arrivals and estimates; overruns are killed', () => {
    expect(auditedRun('kth', KTH, jigsaw, 'requested', 'kill')).toEqual({ ...sound(28_475), killed: 475 })
  })

  for (const [trace, nodes, first] of [
    ['kth', 100, ''],
    ['theta', 4360, ',first-jobs=8000'],
    ['hpc2n', 240, ',first-jobs=30000'],
  ] as const) {
    for (const estimates of ['exact', 'requested'] as const) {
      it(`${trace} under textbook EASY starts each job as the model by counts does, estimates ${estimates}`, () => {
        const [starts, counted] = bothStarts(trace, nodes, 'easy', estimates, first)
        expect(starts).toEqual(counted)
      })
    }
  }

  for (const estimates of ['exact', 'requested'] as const) {
    it(`kth under textbook conservative backfilling starts each job as the model by counts does, estimates ${estimates}`, () => {
      const [starts, counted] = bothStarts('kth', 100, 'conservative', estimates, ',first-jobs=10000')
      expect(starts).toEqual(counted)
    })
  }

  it('the auditor finds no fault in a run of the first jobs of Thunder under jigsaw, all submitted at time 0', () => {
    const run = auditedRun('thunder', 'radix:18', jigsaw, 'exact', 'run-on', 'first-jobs=50000')
    expect(run).toEqual(sound(50_000))
  })

  it('the auditor finds no fault in a run of the first jobs of CEA-Curie under baseline; overruns run on', () => {
    const run = auditedRun('cea-curie', 'radix:28', baseline, 'requested', 'run-on', 'first-jobs=40000')
    expect(run).toEqual(sound(40_000))
  })
})
