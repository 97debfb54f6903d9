import type { LogHeader } from '@cloister/eventlog'
import type { BoundPolicy, Claims } from '@cloister/placement'
import type { Workload } from '@cloister/workload'

/** What a header says of a run's options, in the log's words. What is left out is as nothing of the kind. */
export type LoggedOptions = Pick<
  LogHeader,
  'queue' | 'estimates' | 'overrun' | 'arrivals' | 'seed' | 'refusals' | 'program'
> &
  Partial<Omit<LogHeader, 'origin' | 'workload' | 'policy'>>

/** What a run is, besides its topology: everything that decides the bytes of its log. */
export type RunDescription<Config, Index> = LoggedOptions & {
  readonly workload: Workload
  readonly bound: BoundPolicy<Config, Index>
  /** As the kernel is told: part of `queue` in the log. */
  readonly requeue?: boolean
}

/** The header of the log of a simulated run. */
export function describeRun<Config, Index>(run: RunDescription<Config, Index>): LogHeader {
  const { workload, bound, requeue, queue, ...options } = run
  const { policy, config, placer } = bound
  return {
    origin: 'simulated',
    scenario: 'none',
    router: null,
    seal_every: 256,
    // A log has whole seconds: of arrivals that were scaled, the first job that is not dropped may have none.
    ...(workload.epoch === undefined ? {} : { epoch: Math.floor(workload.epoch) }),
    ...options,
    queue: { ...queue, ...(requeue === true ? { requeue } : {}) },
    workload: {
      name: workload.name,
      ...(workload.sourceSha256 === undefined ? {} : { source_sha256: workload.sourceSha256 }),
      filter: workload.filter,
      jobs: workload.jobs.length,
      sha256: workload.sha256,
      ...matricesOf(workload),
    },
    policy: {
      name: policy.name,
      version: policy.version,
      config: JSON.parse(JSON.stringify(config)),
      claims: loggedClaims(placer.claims),
      ...(placer.linkCapacity === undefined ? {} : { link_capacity: placer.linkCapacity }),
    },
  }
}

/** The communication matrices that its jobs name, in the order of their names; nothing where none does. */
function matricesOf({ jobs }: Workload): Pick<LogHeader['workload'], 'matrices'> {
  const sums = new Map<string, string>()
  for (const { communication } of jobs)
    if (communication?.matrix !== undefined) sums.set(communication.matrix.name, communication.matrix.sha256)
  const matrices = Array.from(sums, ([name, sha256]) => ({ name, sha256 }))
  return matrices.length === 0 ? {} : { matrices: matrices.sort((a, b) => (a.name < b.name ? -1 : 1)) }
}

/** Claims as the log spells them. */
function loggedClaims(claims: Claims): LogHeader['policy']['claims'] {
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
