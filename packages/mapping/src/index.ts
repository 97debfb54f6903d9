/** Mappers, which assign the ranks of a job to its nodes. */
export { combalLeaves, type CombalOptions, combalOrder, type Divisions, type LeafCapacity } from './combal.ts'
export { identity } from './identity.ts'
export { topomatch } from './topomatch.ts'
