import { decodeOptions, type LogHeader, type OptionsRef } from '@cloister/eventlog'
import { describeRun, effectiveOptions, overrunInRun } from '@cloister/kernel'
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
 * scenario that the run applies, and without options that have no effect. With exact estimates, `clamp` is like `kill`
 * and `extend` is like `run-on`: no job outlives its run time before the simulation.
 */
export function loggedOptions({ spec, options, applied: { arrivals, estimates, scenario } }: Run): OptionsRef {
  const overrun = estimates === 'exact' ? overrunInRun(options.overrun) : options.overrun
  const given: Readonly<Record<string, unknown>> = { ...spec, arrivals, estimates, overrun, scenario }
  const isLogged = (name: string): boolean =>
    !leftOut.has(name) && !(name === 'overrun' && overrun === 'kill') && !(name === 'scenario' && scenario === 'none')
  const logged = Object.entries(given).filter(([name]) => isLogged(name))
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
