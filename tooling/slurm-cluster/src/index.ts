export { SimulatedFabric, whatFabricLacks } from './simulated-fabric.ts'
export { SlurmCluster, until, whatAccountingLacks, whatIsMissing } from './slurm-cluster.ts'
export { linkAt, linksOf } from './traced-links.ts'
