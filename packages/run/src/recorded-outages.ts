import type { Outage } from '@cloister/kernel'
import { type Topology, topologyToJson } from '@cloister/topology'
import type { RecordedMachine } from './recorded-jobs.ts'

/** Outages of a log for a run of the log's jobs, or a message with the reason why no outage is in the run. */
export type OutagesOfTrace =
  | { readonly outages: ReadonlyArray<Outage> }
  /** Message for people: `5 outages of the log are left out: …`. */
  | { readonly leftOut: string }

/**
 * Returns the outages of a log for a run of the log's jobs on the same machine at the same times, else a message. Time
 * 0 is the arrival of the run's first job; earlier outages get the time 0.
 *
 * @param first the first job's arrival in the log, in ms; undefined if jobs arrive at other times than in the log
 */
export function outagesOfTrace(
  machine: RecordedMachine | undefined,
  topology: Topology,
  first: number | undefined,
): OutagesOfTrace {
  if (machine === undefined || machine.outages.length === 0) return { outages: [] }
  if (first === undefined) return leftOut(machine, 'jobs arrive at other times than in the log')
  if (!isSameMachine(machine.topology, topology))
    return leftOut(machine, `the log is of another machine, ${machine.topology.name}`)
  return { outages: machine.outages.map((outage) => ({ ...outage, time: Math.max(0, outage.time - first) })) }
}

function leftOut({ outages }: RecordedMachine, why: string): OutagesOfTrace {
  const count = outages.filter(({ change }) => change === 'down').length
  return { leftOut: `${count} outages of the log are left out: ${why}` }
}

/** Compares two shapes without their names. If both machines have names of nodes, the names must be equal. */
function isSameMachine(a: Topology, b: Topology): boolean {
  const shape = (topology: Topology): string => JSON.stringify({ ...topologyToJson(topology), name: '' })
  const names = a.nodeNames === undefined || b.nodeNames === undefined || a.nodeNames.join() === b.nodeNames.join()
  return names && shape(a) === shape(b)
}
