import type { LogHeader } from '@cloister/eventlog'
import { describeRun, type LoggedOptions } from '@cloister/kernel'
import { formatHostlist } from '@cloister/topology'
import type { HeaderFields } from './option.ts'
import { runOptionNames } from './options.ts'
import type { Run } from './prepare.ts'
import { optionOf } from './spec.ts'

/**
 * Returns the header for the log of a run: workload, machine, policy, and the fields that the options' entries in the
 * table give.
 *
 * @param program name and version of the program that runs the simulation
 */
export function headerOf(run: Run, program: string): LogHeader {
  const { topology, workload, bound } = run
  const fields = runOptionNames.map((name) => fieldsOf(run, name))
  const options: LoggedOptions = Object.assign({}, ...fields)
  return describeRun({
    ...options,
    queue: Object.assign({}, ...fields.map(({ queue }) => queue)),
    workload,
    bound,
    program,
    ...(topology.nodeNames === undefined ? {} : { names: formatHostlist(topology.nodeNames) }),
  })
}

function fieldsOf({ options, applied }: Run, name: (typeof runOptionNames)[number]): HeaderFields {
  return optionOf(name).header?.(options[name], applied) ?? {}
}
