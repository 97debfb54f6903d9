import type { Outage } from '@cloister/kernel'
import { type Topology, topologyToJson } from '@cloister/topology'
import type { RecordedMachine } from './recorded-jobs.ts'

/** The outages that go with the jobs of a log, or why they do not. */
export type OutagesOfTrace =
  | { readonly outages: ReadonlyArray<Outage> }
  /** For people: `5 outages of the log are left out: …`. */
  | { readonly leftOut: string }

/**
 * The outages of a log for a run of its jobs: on the same machine, where jobs arrive as in the log.
 *
 * @param first when the first job of the run arrives in the log, milliseconds; undefined where its jobs arrive otherwise
 */
export function outagesOfTrace(
  machine: RecordedMachine | undefined,
  topology: Topology,
  first: number | undefined,
): OutagesOfTrace {
  if (machine === undefined || machine.outages.length === 0) return { outages: [] }
  if (first === undefined) return leftOut(machine, 'jobs arrive at other times than in it')
  if (!isSameMachine(machine.topology, topology))
    return leftOut(machine, `it is of another machine, ${machine.topology.name}`)
  return { outages: machine.outages.map((outage) => ({ ...outage, time: Math.max(0, outage.time - first) })) }
}

function leftOut({ outages }: RecordedMachine, why: string): OutagesOfTrace {
  const count = outages.filter(({ change }) => change === 'down').length
  return { leftOut: `${count} outages of the log are left out: ${why}` }
}

/** Whatever it is called; where both name their nodes, by the same names. */
function isSameMachine(a: Topology, b: Topology): boolean {
  const shape = (topology: Topology): string => JSON.stringify({ ...topologyToJson(topology), name: '' })
  const names = a.nodeNames === undefined || b.nodeNames === undefined || a.nodeNames.join() === b.nodeNames.join()
  return names && shape(a) === shape(b)
}
