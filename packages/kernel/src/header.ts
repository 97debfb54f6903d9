import type { LogHeader } from '@cloister/eventlog'
import type { BoundPolicy, Claims } from '@cloister/placement'
import type { Workload } from '@cloister/workload'
import type { QueueDiscipline } from './simulation.ts'

/** What a run is, besides its topology: everything that decides the bytes of its log. */
export interface RunDescription<Config, Index> {
  readonly workload: Workload
  readonly bound: BoundPolicy<Config, Index>
  readonly queue: QueueDiscipline
  readonly estimates: 'exact' | 'requested'
  readonly overrun: 'run-on' | 'kill'
  readonly requeue?: boolean
  /** How submit times were made, as spelled on the command line: trace, zero, scale:0.5. */
  readonly arrivals: string
  /** Name of the router whose route records the log has. */
  readonly router?: string | undefined
  /** How run times depend on the placement: what `runTimes` of the simulation does. */
  readonly runTimes?: string | undefined
  /** Spelling of the speed-up scenario in which the jobs ran; default none. The workload is that without it. */
  readonly scenario?: string
  /** Whether the jobs were drawn into bandwidth classes (`drawBandwidth`). */
  readonly drawsBandwidth?: boolean
  /** How jobs were made to communicate, as spelled on the command line. */
  readonly communication?: string | undefined
  readonly seed: number
  readonly refusals: boolean
  /** Name and version of the program that runs it. */
  readonly program: string
  /** Node names in id order, as a hostlist. */
  readonly names?: string
}

/** The header of a run's log. */
export function describeRun<Config, Index>(run: RunDescription<Config, Index>): LogHeader {
  const {
    workload,
    bound: { policy, config, placer },
  } = run
  return {
    origin: 'simulated',
    workload: {
      name: workload.name,
      ...(workload.sourceSha256 === undefined ? {} : { source_sha256: workload.sourceSha256 }),
      filter: workload.filter,
      jobs: workload.jobs.length,
      sha256: workload.sha256,
    },
    policy: {
      name: policy.name,
      version: policy.version,
      config: JSON.parse(JSON.stringify(config)),
      claims: loggedClaims(placer.claims),
      ...(placer.linkCapacity === undefined ? {} : { link_capacity: placer.linkCapacity }),
    },
    queue: { ...run.queue, ...(run.requeue === true ? { requeue: true } : {}) },
    estimates: run.estimates,
    overrun: run.overrun,
    arrivals: run.arrivals,
    scenario: run.scenario ?? 'none',
    ...(run.drawsBandwidth === true ? { bandwidth: 'classes' } : {}),
    ...(run.communication === undefined ? {} : { communication: run.communication }),
    router: run.router ?? null,
    seed: run.seed,
    refusals: run.refusals,
    seal_every: 256,
    program: run.program,
    ...(run.runTimes === undefined ? {} : { run_times: run.runTimes }),
    ...(workload.epoch === undefined ? {} : { epoch: workload.epoch }),
    ...(run.names === undefined ? {} : { names: run.names }),
  }
}

/** Claims as the log spells them. */
export function loggedClaims(claims: Claims): LogHeader['policy']['claims'] {
  return {
    links: claims.links,
    ...(claims.rule === undefined ? {} : { rule: claims.rule }),
    full_bandwidth: claims.fullBandwidth,
    exact_size: claims.exactSize,
    monotone: claims.monotone,
    complete: claims.complete,
    speedup_scenarios: claims.speedupScenarios,
  }
}
