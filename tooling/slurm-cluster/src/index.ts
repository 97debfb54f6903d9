export { SimulatedFabric, whatFabricLacks } from './simulated-fabric.ts'
export { SlurmCluster, until, whatAccountingLacks, whatIsMissing, whatRestLacks } from './slurm-cluster.ts'
export { linkAt, linksOf } from './traced-links.ts'
