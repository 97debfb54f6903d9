import { type Durations, durationsOf } from './durations.ts'
import { EventLoop } from './event-loop.ts'
import type { Simulation, Summary } from './simulation.ts'

/**
 * Simulates a workload to its end and sends every event to the recorder. The same input gives the same calls.
 *
 * @param durations run times and estimates of jobs; default: from the workload and `runTimes`
 * @throws PolicyFaultError if the policy breaks its contract; the last record is then a `fault` with the last request
 */
export function simulate<Index>(
  simulation: Simulation<Index>,
  durations: Durations = durationsOf(simulation),
): Summary {
  return new EventLoop(simulation, durations).run()
}
