import { decodeOptions, type LogHeader, type OptionsRef } from '@cloister/eventlog'
import { describeRun, effectiveOptions, overrunInRun } from '@cloister/kernel'
import { formatHostlist } from '@cloister/topology'
import { parseScenario } from '@cloister/workload'
import { drawsBySeed } from './assumptions.ts'
import { type RunOptionName, runOptionNames } from './options.ts'
import type { Run } from './prepare.ts'

/** Options that a header leaves out, because other fields or records of the log have their values. */
const elsewhere = ['trace', 'filter', 'topology', 'policy', 'config', 'matrices', 'outages', 'maxPlaceMs'] as const

/**
 * Options that no header can have. If there are any, the next line does not compile, and the error names the options.
 */
type UnknownToLogs = Exclude<RunOptionName, (typeof elsewhere)[number] | keyof OptionsRef>
const leftOut: [UnknownToLogs] extends [never] ? ReadonlySet<string> : UnknownToLogs = new Set(elsewhere)

/**
 * Returns the options of a run for the header of its log: the canonical description, with the arrivals, estimates and
 * scenario that the run applies, and without options that have no effect. With exact estimates, `clamp` is like `kill`
 * and `extend` is like `run-on`, because no run time exceeds its estimate before the simulation.
 */
export function loggedOptions({ spec, options, applied: { arrivals, estimates, scenario } }: Run): OptionsRef {
  const overrun = estimates === 'exact' ? overrunInRun(options.overrun) : options.overrun
  const given: Readonly<Record<string, unknown>> = { ...spec, arrivals, estimates, overrun, scenario }
  const idle: ReadonlySet<string> = new Set([
    ...(overrun === 'kill' ? ['overrun'] : []),
    ...(scenario === 'none' ? ['scenario'] : []),
    ...(drawsBySeed(options, parseScenario(scenario)) ? [] : ['seed']),
  ])
  const logged = Object.entries(given).filter(([name]) => !leftOut.has(name) && !idle.has(name))
  return effectiveOptions(decodeOptions(Object.fromEntries(logged)))
}

/** Option that a user gave and that changes nothing in a run. */
export interface IneffectiveOption {
  readonly option: RunOptionName
  /** Reason in a few words, such as `the queue is fcfs`. */
  readonly reason: string
}

/** Returns the given options without an effect on the run: the header of the log lacks these or has other values. */
export function ineffectiveOptions(run: Run): ReadonlyArray<IneffectiveOption> {
  const logged: Readonly<Partial<Record<RunOptionName, unknown>>> = loggedOptions(run)
  return runOptionNames.flatMap((option) => {
    const value = run.spec[option]
    if (value === undefined || leftOut.has(option) || logged[option] === value) return []
    return [{ option, reason: reasonOf(option, run) }]
  })
}

function reasonOf(option: RunOptionName, { spec, options, bound, applied }: Run): string {
  switch (option) {
    case 'seed':
      return 'no scenario, bandwidth or communication is drawn at random; --resample weeks:SEED makes replicates of a real log'
    case 'overrun':
      return `with ${applied.estimates} estimates no job outlives its estimate before the simulation; the run is as with ${overrunInRun(options.overrun)}`
    case 'scenario':
      return `${bound.policy.name} claims no speed-up, and its jobs keep their run times`
    default:
      return `the queue is ${spec.queue}${spec.reservation === undefined ? '' : `, reservations are ${spec.reservation}`}`
  }
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
