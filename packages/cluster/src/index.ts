export {
  installedSlurm,
  localOpensm,
  SlurmCommandError,
  SlurmCommands,
  SubnetManager,
  SubnetManagerError,
} from './programs.ts'
export { Reporter, type Reporting } from './polling.ts'
export { CurrentHealth, Health, type LeaseState } from './health.ts'

export { type ClusterSource, commandsSource, type Seen } from './observe/cluster-source.ts'
export { type RestAccess, restSource } from './observe/slurmrestd.ts'
export { type ObserveOptions, type ObserveReport, observeSlurm } from './observe/observe.ts'
export { shadowPath } from './observe/shadows.ts'

export { type DriveOptions, type DriveReport, driveSlurm, liveQueue, OtherRouterError } from './drive/drive.ts'
export { FabricError } from './drive/fabric-tables.ts'
export { type RouteOptions } from './drive/route-keeper.ts'
export { watchdog, type WatchdogOptions } from './drive/watchdog.ts'
export { DrivenLog } from './drive/driven-log.ts'
export { Driver, type JobChange } from './drive/driver.ts'
export { HANDED_BACK, MARK, type Observation } from './drive/observations.ts'
export { LeaseDisk, type LeaseDiskError, LeaseFileError } from './drive/lease-file.ts'
export { LeaseLostError } from './drive/lease.ts'
export { PartitionError } from './drive/partition.ts'

export { importSlurm, type ImportSlurmOptions, type ImportSlurmReport } from './import.ts'
