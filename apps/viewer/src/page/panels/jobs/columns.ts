import type { JobField } from '@cloister/metrics'
import type { JobRow } from '../../../run/questions.ts'
import { timeText } from '../../state/clock.ts'
import { count, shortSpan } from '../../text/times.ts'

/** A column of the table of jobs. */
export interface JobColumn {
  readonly field: JobField
  readonly heading: string
  readonly about: string
  /** Share of the table's width. */
  readonly width: string
  readonly isNumber: boolean
  readonly text: (row: JobRow) => string
}

/** In one unit, so that a row stays one line. */
const length = (value: number | null): string => (value === null ? '–' : shortSpan(value))

export const jobColumns: ReadonlyArray<JobColumn> = [
  { field: 'job', heading: 'job', about: 'its id', width: '1.2fr', isNumber: false, text: ({ job }) => job },
  {
    field: 'user',
    heading: 'user',
    about: 'who submitted it',
    width: '1fr',
    isNumber: false,
    text: ({ user }) => user,
  },
  {
    field: 'size',
    heading: 'nodes',
    about: 'nodes that it asked for',
    width: '0.8fr',
    isNumber: true,
    text: ({ size }) => count(size!),
  },
  {
    field: 'submit',
    heading: 'came',
    about: 'when it came to the queue',
    width: '1.5fr',
    isNumber: true,
    text: ({ submit }) => timeText(submit!),
  },
  {
    field: 'wait',
    heading: 'waited',
    about: 'in the queue, over all its waits',
    width: '1fr',
    isNumber: true,
    text: ({ wait }) => length(wait),
  },
  {
    field: 'runtime',
    heading: 'ran',
    about: 'its last run',
    width: '1fr',
    isNumber: true,
    text: ({ runtime }) => length(runtime),
  },
  {
    field: 'slowdown',
    heading: 'slowdown',
    about: 'turnaround over run time, bounded by 10 s',
    width: '1.1fr',
    isNumber: true,
    text: ({ slowdown }) => (slowdown === null ? '–' : slowdown.toFixed(slowdown < 10 ? 2 : 0)),
  },
  {
    field: 'slip',
    heading: 'slipped',
    about: 'from the start that its first reservation promised to its own start',
    width: '1fr',
    isNumber: true,
    text: ({ slip }) => length(slip),
  },
  {
    field: 'state',
    heading: 'state',
    about: 'what became of it',
    width: '1fr',
    isNumber: false,
    text: ({ state }) => state,
  },
]
