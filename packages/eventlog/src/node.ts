export { LogFileError } from './file-error.ts'
export { createLogFile, type LogFile, openLogFile, readLogFile } from './log-file.ts'
export { indexPath, openSeekableLog, SeekableLog } from './seekable-file.ts'
export { sha256 } from './sha256.ts'
