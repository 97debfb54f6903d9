export { dModKRouter } from './d-mod-k.ts'
export { randomRouter } from './random.ts'
export { minHopRouter, updnRouter } from './min-hop.ts'
export { ftreeRouter } from './ftree.ts'
