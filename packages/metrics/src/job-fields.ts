// Every command of the command line loads this file, so the file imports nothing.

/** The numeric columns of jobs, in seconds unless a comment names another unit. */
export const jobNumbers = [
  /** Number of requested nodes. */
  'size',
  'submit',
  /** Start of the job's last run. */
  'start',
  /** End of the job's last run. */
  'end',
  /** Time in the queue, over all waits of the job; for a waiting job, until the last record. */
  'wait',
  /** Length of the job's last run; for a running job, until the last record. */
  'runtime',
  'estimate',
  /** Bounded slowdown, a ratio with run times of at least 10 s, of jobs whose last run has ended. */
  'slowdown',
  /** Time from the first reserved start to the first start, or to the latest reserved start if the job has no start. */
  'slip',
  /** Bandwidth that the job requests on each link, in MB/s. */
  'bandwidth',
  /** Priority that a foreign scheduler gave the job; larger starts earlier. */
  'priority',
  /** Graphics processors of the job's last start, or else graphics processors that the job requests. */
  'gpus',
  /** Number of leaves of the job's last allocation. */
  'leaves',
  /** Number of pods of the job's last allocation. */
  'pods',
  /** Number of links of the job's last allocation, over all levels; 0 if the policy allocates no links. */
  'links',
  /** Mean number of links between two nodes of the last allocation: 2 on one leaf, 4 in one pod, 6 between pods. */
  'hops',
  /** `hops` over the hops of the most compact placement of the requested nodes on the empty machine. */
  'spread',
  /** Number of leaves of the last allocation, above the leaves of that most compact placement. */
  'extraleaves',
] as const

/** The text columns of jobs; a text is empty if the log does not have the text. */
export const jobTexts = [
  'job',
  'name',
  'user',
  'account',
  'queue',
  'qos',
  /** Advance reservation that the job asked for: Slurm's `Reservation`. */
  'reservation',
  /** Id of the job's array. */
  'array',
  /** Id of the heterogeneous job. */
  'het',
  /** Part of a foreign scheduler that started the job: `main`, `backfill` or `submit`. */
  'startedby',
  /** Name of the job's communication pattern. */
  'pattern',
  /** Note of the policy on the placement of the job's last start. */
  'note',
  'state',
  /** `yes` if the job's last start was by backfilling, `no` for another start, empty before the first start. */
  'backfilled',
] as const

/** A column of numbers in seconds, nodes, MB/s or a ratio; {@link jobNumbers} has the units. */
export type JobNumber = (typeof jobNumbers)[number]
/** A column of texts. */
export type JobText = (typeof jobTexts)[number]
/** A column of the table of jobs. */
export type JobField = JobNumber | JobText

/** Columns with times and lengths of time, in seconds. */
const times: ReadonlySet<string> = new Set(['submit', 'start', 'end', 'wait', 'runtime', 'estimate', 'slip'])

/** Returns true if a name is the name of a column of numbers. */
export function isJobNumber(field: string): field is JobNumber {
  return (jobNumbers as ReadonlyArray<string>).includes(field)
}

/** Returns true if a name is the name of a column of texts. */
export function isJobText(field: string): field is JobText {
  return (jobTexts as ReadonlyArray<string>).includes(field)
}

/** Returns true if the values of the column are seconds, which a query may write as `3h`. */
export function isJobTime(field: string): boolean {
  return times.has(field)
}
