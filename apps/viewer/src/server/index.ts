export { FollowedLog, LogUnavailableError, NotReadYetError } from './followed-log.ts'
export { changeNotes, NotesFileError, notesPath, readNotes } from './notes-file.ts'
export { policyOfLog, policyQuestions } from './policy-questions.ts'
export {
  type AskPolicy,
  forPolicies,
  type PolicyReply,
  type PolicyTask,
  PolicyTasks,
  PolicyThread,
  threadOfPolicies,
} from './policy-thread.ts'
export { type PolicyFinders, servePolicies } from './serve-policies.ts'
export { runsIn, type RunStore, StoredRuns } from './stored-runs.ts'
export { type AskThread, type Explain, hostDefect, type NotesOfRun, servedPort, viewServer } from './view-server.ts'
