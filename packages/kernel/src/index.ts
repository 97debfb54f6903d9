export type { Outage, QueueDiscipline, QueueOrder, Routing, Simulation } from './simulation.ts'
export { estimateOf, simulate } from './simulation.ts'
export { describeRun, type RunDescription } from './header.ts'
