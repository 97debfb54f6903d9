/** Which rank of a job goes to which of its nodes. */
export { combalLeaves, type CombalOptions, combalOrder, type Divisions, type LeafRoom } from './combal.ts'
export { identity } from './identity.ts'
export { topomatch } from './topomatch.ts'
