import { type Durations, durationsOf } from './durations.ts'
import { EventLoop } from './event-loop.ts'
import type { Simulation, Summary } from './simulation.ts'

/**
 * Runs a workload to its end. Everything that happens goes to the recorder; the same input gives the same calls.
 *
 * A policy that fails leaves its question as the recorder's last record.
 *
 * @param durations how long jobs take, where that is known otherwise than from the workload
 * @throws PolicyFaultError where the policy breaks its contract
 */
export function simulate<Index>(
  simulation: Simulation<Index>,
  durations: Durations = durationsOf(simulation),
): Summary {
  return new EventLoop(simulation, durations).run()
}
