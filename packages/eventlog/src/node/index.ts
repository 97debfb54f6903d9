export { assertRereadable, LogFileError, type LogFileReason, sha256 } from './files.ts'
export {
  createLogFile,
  type LogFile,
  openLogFile,
  readLogFile,
  ResumeError,
  type ResumedLogFile,
  resumeLogFile,
  type Sync,
} from './log-file.ts'
export { type Identity, indexPath } from './index-file.ts'
export { LogFollower } from './log-follower.ts'
export { isStream } from './output-file.ts'
export { openSeekableLog, SeekableLog, seekInLog } from './seekable-file.ts'
export { lockForWriting, type WriterLock } from './writer-lock.ts'
