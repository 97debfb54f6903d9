import type { LogHeader } from '@cloister/eventlog'
import type { BoundPolicy, Claims } from '@cloister/placement'
import type { Workload } from '@cloister/workload'

/** Options of a run, as the header of the log names them. An absent member means that the run has no such option. */
export type LoggedOptions = Pick<
  LogHeader,
  'queue' | 'estimates' | 'overrun' | 'arrivals' | 'seed' | 'refusals' | 'program'
> &
  Partial<Omit<LogHeader, 'origin' | 'workload' | 'policy'>>

/** Description of a run without its topology: all inputs that decide the bytes of the log. */
export type RunDescription<Config, Index> = LoggedOptions & {
  readonly workload: Workload
  readonly bound: BoundPolicy<Config, Index>
  /** Requeues killed jobs. The log holds this option as a member of `queue`. */
  readonly requeue?: boolean
}

/** Returns the header of the log of a simulated run. */
export function describeRun<Config, Index>(run: RunDescription<Config, Index>): LogHeader {
  const { workload, bound, requeue, queue, ...options } = run
  const { policy, config, placer } = bound
  return {
    origin: 'simulated',
    scenario: 'none',
    router: null,
    seal_every: 256,
    // The header has whole seconds. With scaled arrivals, the first kept job may be submitted at a fraction of a
    // second.
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

/**
 * Returns the communication matrices that the jobs name, in order of their names; an empty object if no job names any.
 */
function matricesOf({ jobs }: Workload): Pick<LogHeader['workload'], 'matrices'> {
  const sums = new Map<string, string>()
  for (const { communication } of jobs)
    if (communication?.matrix !== undefined) sums.set(communication.matrix.name, communication.matrix.sha256)
  const matrices = Array.from(sums, ([name, sha256]) => ({ name, sha256 }))
  return matrices.length === 0 ? {} : { matrices: matrices.sort((a, b) => (a.name < b.name ? -1 : 1)) }
}

/** Returns claims with the field names of the log. */
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
