import type { JobField } from '@cloister/metrics'
import type { JobRow } from '../../../run/questions.ts'
import { timeText } from '../../state/clock.ts'
import { count, shortSpan } from '../../text/times.ts'

/** A column of the table in the jobs panel. */
export interface JobColumn {
  readonly field: JobField
  readonly heading: string
  readonly about: string
  /** Width of heading and usual values, in CSS pixels. Columns share the width of a wider table in this proportion. */
  readonly width: number
  readonly isNumber: boolean
  readonly text: (row: JobRow) => string
}

/** Returns a length of time in one unit, because a row of the table has one line; `–` for an unknown length. */
const length = (value: number | null): string => (value === null ? '–' : shortSpan(value))

export const jobColumns: ReadonlyArray<JobColumn> = [
  { field: 'job', heading: 'job', about: 'id of the job', width: 44, isNumber: false, text: ({ job }) => job },
  {
    field: 'user',
    heading: 'user',
    about: 'user who submitted the job',
    width: 34,
    isNumber: false,
    text: ({ user }) => user,
  },
  {
    field: 'size',
    heading: 'nodes',
    about: 'number of requested nodes',
    width: 41,
    isNumber: true,
    text: ({ size }) => count(size!),
  },
  {
    field: 'submit',
    heading: 'came',
    about: 'time of submit',
    width: 74,
    isNumber: true,
    text: ({ submit }) => timeText(submit!),
  },
  {
    field: 'wait',
    heading: 'waited',
    about: 'time in the queue, over all waits of the job',
    width: 53,
    isNumber: true,
    text: ({ wait }) => length(wait),
  },
  {
    field: 'runtime',
    heading: 'ran',
    about: 'run time of the last run of the job',
    width: 42,
    isNumber: true,
    text: ({ runtime }) => length(runtime),
  },
  {
    field: 'slowdown',
    heading: 'slowdown',
    about: 'turnaround over run time; run times below 10 s count as 10 s',
    width: 71,
    isNumber: true,
    text: ({ slowdown }) => (slowdown === null ? '–' : slowdown.toFixed(slowdown < 10 ? 2 : 0)),
  },
  {
    field: 'slip',
    heading: 'slipped',
    about: 'time from the start that the first reservation planned to the first start, or to the last planned start',
    width: 53,
    isNumber: true,
    text: ({ slip }) => length(slip),
  },
  {
    field: 'state',
    heading: 'state',
    about: 'state of the job',
    width: 50,
    isNumber: false,
    text: ({ state }) => state,
  },
]
