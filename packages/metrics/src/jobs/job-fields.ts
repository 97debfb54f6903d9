/** What is told of each job as a number: seconds, but for nodes (`size`), MB/s (`bandwidth`) and a ratio (`slowdown`). */
export const jobNumbers = [
  /** Nodes that it asked for. */
  'size',
  'submit',
  /** Of its last run. */
  'start',
  'end',
  /** In the queue, over all its waits; of a job that waits, until the last record. */
  'wait',
  /** Its last run; of a job that runs, until the last record. */
  'runtime',
  'estimate',
  /** Bounded by 10 s; of jobs that finished or were killed for good. */
  'slowdown',
  /** From its first reservation's start to its own first one, or to that of the latest reservation where it has not started. */
  'slip',
  'bandwidth',
] as const

/** What is told of each job as text; empty where the log says nothing. */
export const jobTexts = [
  'job',
  'name',
  'user',
  'account',
  'queue',
  /** In which it communicates. */
  'pattern',
  /** Of the policy, about its last start. */
  'note',
  'state',
  /** `yes` or `no`, of jobs that started. */
  'backfilled',
] as const

/** A column of numbers: seconds, nodes, MB/s or a ratio, as {@link jobNumbers} says. */
export type JobNumber = (typeof jobNumbers)[number]
/** A column of texts. */
export type JobText = (typeof jobTexts)[number]
/** A column of the table of jobs. */
export type JobField = JobNumber | JobText

/** Those whose values are lengths or points of time. */
const times: ReadonlySet<string> = new Set(['submit', 'start', 'end', 'wait', 'runtime', 'estimate', 'slip'])

/** Whether a name is that of a column of numbers. */
export function isJobNumber(field: string): field is JobNumber {
  return (jobNumbers as ReadonlyArray<string>).includes(field)
}

/** Whether a name is that of a column of texts. */
export function isJobText(field: string): field is JobText {
  return (jobTexts as ReadonlyArray<string>).includes(field)
}

/** Whether `3h` is a value of the field. */
export function isJobTime(field: string): boolean {
  return times.has(field)
}
