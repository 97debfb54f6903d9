export { edgeCut, type Graph, graphOf } from './graph.ts'
export { evenSizes, type PartSize } from './part-size.ts'
export { partition } from './partition.ts'
