export type { PgftShape, SwitchLevel, Topology } from './topology.ts'
