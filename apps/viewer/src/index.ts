export { embeddedIds } from './run/embedded-ids.ts'
export { pack, type Packed } from './run/packing.ts'
export type { Overview, QuestionName, Questions, WholeWhy, WhyLine } from './run/questions.ts'
export { type PolicyQuestions, type ReadingStatus, statusOf, ViewedRun } from './run/viewed-run.ts'
