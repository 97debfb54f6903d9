export { SimulatedFabric, whatFabricLacks } from './simulated-fabric.ts'
export { killed, SlurmCluster, until, whatAccountingLacks, whatIsMissing, whatRestLacks } from './slurm-cluster.ts'
export { linkAt, linksOf } from './traced-links.ts'
