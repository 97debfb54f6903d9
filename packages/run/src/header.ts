import type { LogHeader } from '@cloister/eventlog'
import { loggedClaims } from '@cloister/kernel'
import { formatHostlist } from '@cloister/topology'
import type { HeaderFields } from './option.ts'
import { runOptionNames } from './options.ts'
import type { Run } from './prepare.ts'
import { optionOf } from './spec.ts'

/** Records between two seals. */
const SEAL_EVERY = 256

/**
 * What the log of a run says of it: each option by its entry in the table, beside workload, machine and policy.
 *
 * @param program name and version of the program that runs it
 */
export function headerOf(run: Run, program: string): LogHeader {
  const { topology, workload, bound } = run
  const { policy, config, placer } = bound
  const options = Object.assign({}, ...runOptionNames.map((name) => fieldsOf(run, name)))
  return {
    origin: 'simulated',
    ...options,
    queue: Object.assign({}, ...runOptionNames.map((name) => fieldsOf(run, name).queue ?? {})),
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
    seal_every: SEAL_EVERY,
    program,
    ...(workload.epoch === undefined ? {} : { epoch: workload.epoch }),
    ...(topology.nodeNames === undefined ? {} : { names: formatHostlist(topology.nodeNames) }),
  }
}

function fieldsOf({ options, applied }: Run, name: (typeof runOptionNames)[number]): HeaderFields {
  return optionOf(name).header?.(options[name], applied) ?? {}
}
