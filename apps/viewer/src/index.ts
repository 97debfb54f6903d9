export { embeddedIds, embeddedNotesId } from './run/embedded-ids.ts'
export { changedNotes, type Note, type NoteChange, noteLimits } from './run/notes.ts'
export { pack, type Packed } from './run/packing.ts'
export { policyAnswer, type PolicyQuestions } from './run/policy-answers.ts'
export {
  isPolicyQuestion,
  type Overview,
  type PolicyQuestionName,
  type QuestionName,
  type Questions,
  type WholeWhy,
  type WhyLine,
} from './run/questions.ts'
export { type Side, sides } from './run/sides.ts'
export { type StoredRun, type ReadingStatus, statusOf, ViewedRun } from './run/viewed-run.ts'
