export { LogFileError } from './file-error.ts'
export { createLogFile, type LogFile, openLogFile, readLogFile } from './log-file.ts'
export { sha256 } from './sha256.ts'
export { ResumeError, type ResumedLogFile, resumeLogFile } from './resume-log-file.ts'
