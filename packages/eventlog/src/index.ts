export type * from './record.ts'
export type { Grant, Parts, Recorder, SubmittedJob, Totals } from './recorder.ts'
