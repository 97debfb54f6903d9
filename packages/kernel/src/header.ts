import type { LogHeader } from '@cloister/eventlog'
import type { BoundPolicy, Claims } from '@cloister/placement'
import type { Workload } from '@cloister/workload'

/** Description of a run without its topology: all inputs that decide the bytes of the log. */
export type RunDescription<Config, Index> = Pick<LogHeader, 'options' | 'program'> &
  Partial<Omit<LogHeader, 'origin' | 'workload' | 'policy'>> & {
    readonly workload: Workload
    readonly bound: BoundPolicy<Config, Index>
  }

/** Returns the header of the log of a simulated run. */
export function describeRun<Config, Index>(run: RunDescription<Config, Index>): LogHeader {
  const { workload, bound, ...rest } = run
  return {
    origin: 'simulated',
    seal_every: 256,
    // The header has whole seconds. With scaled arrivals, the first kept job may be submitted at a fraction of a
    // second.
    ...(workload.epoch === undefined ? {} : { epoch: Math.floor(workload.epoch) }),
    ...rest,
    workload: {
      name: workload.name,
      ...(workload.sourceSha256 === undefined ? {} : { source_sha256: workload.sourceSha256 }),
      filter: workload.filter,
      jobs: workload.jobs.length,
      sha256: workload.sha256,
      ...matricesOf(workload),
    },
    policy: describePolicy(bound),
  }
}

/** Returns a policy with its config, claims and link capacity, as the header of a log names them. */
export function describePolicy<Config, Index>({
  policy,
  config,
  placer,
}: BoundPolicy<Config, Index>): LogHeader['policy'] {
  return {
    name: policy.name,
    version: policy.version,
    config: JSON.parse(JSON.stringify(config)),
    claims: loggedClaims(placer.claims),
    ...(placer.linkCapacity === undefined ? {} : { link_capacity: placer.linkCapacity }),
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
