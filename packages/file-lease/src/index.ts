export { type FileCalls, runAsync, runSync, type Steps, syncCalls } from './steps.ts'
export { type Fields, FileLease, type LeaseOptions, type Taking } from './lease.ts'
export { isGone, type Owner, ownProcess } from './owner.ts'
