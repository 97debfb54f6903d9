/** Names of the checks of an order, in their order. A check needs all checks of `basis` before it. */
export const orderCheckNames = {
  members: 'has the members of its contract',
  config: 'accepts a config and its defaults, and refuses a wrong config with a message',
  makes: 'make returns an ordering',
  answers: 'every call returns in time, and throws nothing',
  numbers: 'every row gets a score, and no score is NaN',
  beyond: 'no score is written behind the rows',
  reads: 'the order reads no clock, no random number and no environment',
  arguments: 'the order changes neither the view nor the machine nor the config',
  same: 'equal views in a row get equal scores',
  columns: 'the scores depend only on the rows of the columns',
  fold: 'a new ordering gives the scores of an ordering that saw all earlier views',
  whatIf: 'questions about other queues and other times change no later score',
  users: 'the scores do not depend on the numbers of the users',
  fixed: 'fixed: a job has the same score alone, at any time and beside any jobs',
  history: 'without history: the ended runs change no score',
} as const

/** Name of a check of an order. */
export type OrderCheckName = (typeof orderCheckNames)[keyof typeof orderCheckNames]
