import { decodeOptions, type LogHeader, type OptionsRef } from '@cloister/eventlog'
import { describeRun, effectiveOptions } from '@cloister/kernel'
import { formatHostlist } from '@cloister/topology'
import type { RunOptionName } from './options.ts'
import type { Run } from './prepare.ts'

/** Options that a header leaves out, because other fields or records of the log hold their content. */
const elsewhere = ['trace', 'filter', 'topology', 'policy', 'config', 'matrices', 'outages', 'maxPlaceMs'] as const

/** Options unknown to the header of a log. The compiler names them here, if there are any. */
type UnknownToLogs = Exclude<RunOptionName, (typeof elsewhere)[number] | keyof OptionsRef>
const leftOut: [UnknownToLogs] extends [never] ? ReadonlySet<string> : UnknownToLogs = new Set(elsewhere)

/**
 * Returns the options of a run for the header of its log: the canonical description, with the arrivals, estimates and
 * scenario that the run applies, and without options that have no effect on the queue discipline.
 */
export function loggedOptions({ spec, applied: { arrivals, estimates, scenario } }: Run): OptionsRef {
  const given = Object.entries({ ...spec, arrivals, estimates, scenario })
  const logged = given.filter(([name, value]) => !leftOut.has(name) && !(name === 'scenario' && value === 'none'))
  return effectiveOptions(decodeOptions(Object.fromEntries(logged)))
}

/**
 * Returns the header for the log of a run: workload, machine, policy and options.
 *
 * @param program name and version of the program that runs the simulation
 */
export function headerOf(run: Run, program: string): LogHeader {
  const { topology, workload, bound, applied } = run
  const options = loggedOptions(run)
  return describeRun({
    workload,
    bound,
    program,
    options,
    ...(options.runTimes === 'contention' ? { requires: ['progress'] } : {}),
    ...(applied.overruns === undefined ? {} : { overruns: applied.overruns }),
    ...(topology.nodeNames === undefined ? {} : { names: formatHostlist(topology.nodeNames) }),
  })
}
