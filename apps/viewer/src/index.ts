export { embeddedIds, embeddedNotesId } from './run/notes.ts'
export { changedNotes, type Note, type NoteChange, noteLimits } from './run/notes.ts'
export { pack, type Packed } from './run/messages.ts'
export { policyAnswer, type PolicyQuestions } from './run/reasons.ts'
export {
  isPolicyQuestion,
  type Overview,
  type PolicyQuestionName,
  type QuestionName,
  type Questions,
  type WholeWhy,
  type WhyLine,
} from './run/questions.ts'
export { type Side, sides } from './run/questions.ts'
export { type StoredRun, type ReadingStatus, statusOf, ViewedRun } from './run/viewed-run.ts'
