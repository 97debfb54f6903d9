import type { JobField } from '@cloister/metrics'
import type { JobRow } from '../../../run/questions.ts'
import { timeText } from '../../state/clock.ts'
import { count, shortSpan } from '../../text/times.ts'

/** A column of the table of jobs. */
export interface JobColumn {
  readonly field: JobField
  readonly heading: string
  readonly about: string
  /**
   * Width of the heading and of usual values, in CSS pixels. The columns share the rest of the table's width in the
   * same proportion.
   */
  readonly width: number
  readonly isNumber: boolean
  readonly text: (row: JobRow) => string
}

/** Returns a length of time in a single unit, because a row has a single line. */
const length = (value: number | null): string => (value === null ? '–' : shortSpan(value))

export const jobColumns: ReadonlyArray<JobColumn> = [
  { field: 'job', heading: 'job', about: 'its id', width: 44, isNumber: false, text: ({ job }) => job },
  { field: 'user', heading: 'user', about: 'who submitted it', width: 34, isNumber: false, text: ({ user }) => user },
  {
    field: 'size',
    heading: 'nodes',
    about: 'nodes that it asked for',
    width: 41,
    isNumber: true,
    text: ({ size }) => count(size!),
  },
  {
    field: 'submit',
    heading: 'came',
    about: 'when it came to the queue',
    width: 74,
    isNumber: true,
    text: ({ submit }) => timeText(submit!),
  },
  {
    field: 'wait',
    heading: 'waited',
    about: 'in the queue, over all its waits',
    width: 53,
    isNumber: true,
    text: ({ wait }) => length(wait),
  },
  {
    field: 'runtime',
    heading: 'ran',
    about: 'its last run',
    width: 42,
    isNumber: true,
    text: ({ runtime }) => length(runtime),
  },
  {
    field: 'slowdown',
    heading: 'slowdown',
    about: 'turnaround over run time, bounded by 10 s',
    width: 71,
    isNumber: true,
    text: ({ slowdown }) => (slowdown === null ? '–' : slowdown.toFixed(slowdown < 10 ? 2 : 0)),
  },
  {
    field: 'slip',
    heading: 'slipped',
    about: 'from the start planned by the first reservation to the start',
    width: 53,
    isNumber: true,
    text: ({ slip }) => length(slip),
  },
  {
    field: 'state',
    heading: 'state',
    about: 'what became of it',
    width: 50,
    isNumber: false,
    text: ({ state }) => state,
  },
]
