import { isJobNumber, isJobText, type JobField } from '@cloister/metrics'
import { batch, signal, type Signal, useSignal } from '@preact/signals'
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { JobListAnswer, JobListQuestion, JobRow } from '../../run/questions.ts'
import { count, ID_CHARACTERS, shortSpan } from '../../words.ts'
import { useSize } from '../drawing/canvas.tsx'
import type { AddressField } from '../extensions.ts'
import { field } from '../state/address.ts'
import { reveal } from '../state/reveal.ts'
import type { RunClient } from '../state/run-client.ts'
import { timeText } from '../state/session.ts'
import { hoveredJob, selectedJob, sets, tab } from '../state/view-state.ts'

/** Order of the table; `by` is null for the order of submits. */
export const jobsSort: Signal<{ readonly by: JobField | null; readonly descending: boolean }> = signal({
  by: null,
  descending: false,
})

/** Field of the page's address with the order of the table. */
export const sortField: AddressField = field(
  'sort',
  jobsSort,
  ({ by, descending }) => (by === null ? undefined : `${descending ? '-' : ''}${by}`),
  (text) => {
    const by = (text ?? '').replace(/^-/, '')
    return isJobNumber(by) || isJobText(by)
      ? { by, descending: text!.startsWith('-') }
      : { by: null, descending: false }
  },
)

/** Opens the table of jobs with the most spread jobs first. */
export function listMostSpread(): void {
  batch(() => {
    jobsSort.value = { by: 'spread', descending: true }
    tab.value = 'jobs'
  })
}

/** A column of the table in the jobs panel. */
interface JobColumn {
  readonly field: JobField
  readonly heading: string
  readonly about: string
  /** Width of heading and usual values, in CSS pixels. Columns share the width of a wider table in this proportion. */
  readonly width: number
  /** True if the column is as wide as the longest id of a job, up to 14 characters. */
  readonly isOfIds?: true
  readonly isNumber: boolean
  readonly text: (row: JobRow) => string
}

/** Returns a length of time in one unit, because a row of the table has one line; `–` for an unknown length. */
const length = (value: number | null): string => (value === null ? '–' : shortSpan(value))

const jobColumns: ReadonlyArray<JobColumn> = [
  {
    field: 'job',
    heading: 'job',
    about: 'id of the job',
    width: 44,
    isOfIds: true,
    isNumber: false,
    text: ({ job }) => job,
  },
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
    width: 69,
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
    width: 53,
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
    field: 'spread',
    heading: 'spread',
    about: 'mean distance of two nodes of the job, over that of the most compact placement on the empty machine',
    width: 60,
    isNumber: true,
    text: ({ spread }) => (spread === null ? '–' : spread.toFixed(2)),
  },
  {
    field: 'slip',
    heading: 'slipped',
    about: 'time from the start that the first reservation planned to the first start, or to the last planned start',
    width: 60,
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

/** Columns that a narrow table leaves out, the first first, unless the column sorts the jobs. */
const leftOut = ['slowdown', 'user', 'slip'] as const

/** Columns of a table of `width` CSS pixels: `spread` takes the place of `slip` if `spread` sorts the jobs. */
function columnsIn(width: number, run: RunClient): ReadonlyArray<JobColumn> {
  const { by } = jobsSort.value
  const hidden = new Set<JobField>([by === 'spread' ? 'slip' : 'spread'])
  const shown = (): ReadonlyArray<JobColumn> => jobColumns.filter(({ field }) => !hidden.has(field))
  for (const field of leftOut) if (field !== by && gridOf(shown(), run).minWidth > width) hidden.add(field)
  return shown()
}
/** Height of a row of the table of jobs, in CSS pixels. */
const ROW = 22
/** Number of rows that exist in the page above the visible rows, and below them, for the next scrolling. */
const OVERSCAN = 12

/** Gap between two columns, and space at each end of a row, in CSS pixels. */
const [BETWEEN, ENDS] = [8, 4]

/** Width of a character of a job's id, in CSS pixels. */
const CHARACTER = 7.5

/** Returns the grid of the table's columns. In a pane narrower than `minWidth` the whole table scrolls sideways. */
function gridOf(
  columns: ReadonlyArray<JobColumn>,
  run: RunClient,
): { readonly grid: Record<string, string>; readonly minWidth: number } {
  const widths = columns.map(({ width, isOfIds }) =>
    isOfIds === true ? Math.max(width, Math.ceil(longestId(run) * CHARACTER)) : width,
  )
  return {
    grid: {
      gridTemplateColumns: widths.map((width) => `minmax(${width}px, ${width}fr)`).join(' '),
      gap: `${BETWEEN}px`,
      padding: `0 ${ENDS}px`,
    },
    minWidth: widths.reduce((sum, width) => sum + width + BETWEEN, 2 * ENDS - BETWEEN),
  }
}

function longestId({ ids }: RunClient): number {
  let longest = 0
  for (const id of ids) if (id.length > longest) longest = id.length
  return longest > ID_CHARACTERS ? ID_CHARACTERS + 1 : longest
}

/** The table of jobs. Only the rows near the visible rows exist in the page. */
export function JobTable({
  run,
  pages,
  rows,
}: {
  readonly run: RunClient
  readonly pages: RowPages
  readonly rows: number
}): JSX.Element {
  const [scroller, { width }] = useSize<HTMLDivElement>()
  const virtual = useRef<Virtualizer<HTMLDivElement, Element> | undefined>(undefined)
  const drawn = useSignal(0)
  const options = {
    count: rows,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: OVERSCAN,
    scrollToFn: elementScroll<HTMLDivElement>,
    observeElementRect: observeElementRect<HTMLDivElement>,
    observeElementOffset: observeElementOffset<HTMLDivElement>,
    onChange: () => {
      drawn.value++
    },
  }
  virtual.current ??= new Virtualizer(options)
  virtual.current.setOptions(options)
  useEffect(() => virtual.current!._didMount(), [])
  useEffect(() => virtual.current!._willUpdate())
  useEffect(() => {
    if (scroller.current !== null) scroller.current.scrollTop = 0
  }, [pages])
  void [drawn.value, pages.came.value]
  const columns = columnsIn(width, run)
  const { grid, minWidth } = gridOf(columns, run)
  const items = virtual.current.getVirtualItems()
  if (items.length > 0) pages.want(items[0].index, items[items.length - 1].index)
  return (
    <div class="job-table" role="table" aria-label="Jobs" aria-rowcount={rows + 1} data-testid="jobs">
      <div class="rows" role="rowgroup" ref={scroller} tabIndex={0} aria-label="Rows">
        <div role="row" aria-rowindex={1} class="head" style={{ ...grid, minWidth }}>
          {columns.map((column) => (
            <Heading key={column.field} column={column} />
          ))}
        </div>
        <div role="presentation" style={{ minWidth, height: `${virtual.current.getTotalSize()}px` }}>
          {items.map(({ index, start }) => (
            <Row
              key={index}
              run={run}
              columns={columns}
              pages={pages}
              index={index}
              style={{ ...grid, transform: `translateY(${start}px)` }}
            />
          ))}
        </div>
      </div>
    </div>
  )
}

/** The first click on a heading sorts by its column, the second reverses, the third restores the submit order. */
function Heading({ column: { field, heading, about, isNumber } }: { readonly column: JobColumn }): JSX.Element {
  const { by, descending } = jobsSort.value
  const order = by !== field ? 'none' : descending ? 'descending' : 'ascending'
  const arrow = order === 'none' ? '' : descending ? '↓' : '↑'
  return (
    <div role="columnheader" aria-sort={order} class={isNumber ? 'number' : ''}>
      <button
        type="button"
        title={`${about}; click to sort by ${heading}`}
        onClick={() => {
          // The first click on a column of numbers sorts by falling numbers, because readers look for large numbers.
          const first = isNumber
          jobsSort.value =
            by !== field
              ? { by: field, descending: first }
              : descending === first
                ? { by: field, descending: !first }
                : { by: null, descending: false }
        }}
      >
        {/* The arrow of the sort order stands beside the heading, in the gap between columns. */}
        {isNumber ? arrow : ''}
        {heading}
        {isNumber ? '' : arrow}
      </button>
    </div>
  )
}

function Row({
  run,
  columns,
  pages,
  index,
  style,
}: {
  readonly run: RunClient
  readonly columns: ReadonlyArray<JobColumn>
  readonly pages: RowPages
  readonly index: number
  readonly style: Record<string, string>
}): JSX.Element {
  const row = pages.at(index)
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      class="row"
      style={{ ...style, height: `${ROW}px` }}
      data-selected={row !== undefined && row.job === selectedJob.value}
      onPointerEnter={sets(hoveredJob, row?.job)}
      onPointerLeave={sets(hoveredJob, undefined)}
      onClick={() => {
        if (row !== undefined) reveal({ kind: 'job', run, job: row.job })
      }}
    >
      {columns.map(({ field, isNumber, text }) => (
        <div
          role="cell"
          key={field}
          class={isNumber ? 'number' : ''}
          title={row === undefined || isNumber ? undefined : text(row)}
        >
          {row === undefined ? (
            field === 'job' ? (
              '…'
            ) : (
              ''
            )
          ) : field === 'job' ? (
            <button type="button" class="link">
              {row.job}
            </button>
          ) : (
            text(row)
          )}
        </div>
      ))}
    </div>
  )
}

/** Number of rows of the table of jobs in one request. */
const PAGE = 100
/** Greatest number of stored pages of rows. The page that was requested first is dropped first. */
const MOST_PAGES = 60

/** The rows of a query in sorted order. A page of 100 rows is requested when one of its rows becomes visible. */
export class RowPages {
  /** Counter that grows whenever a page of rows arrives or a request fails. */
  readonly came: Signal<number> = signal(0)
  readonly summary: Signal<Omit<JobListAnswer, 'rows'> | undefined> = signal(undefined)
  readonly #ask: (question: Pick<JobListQuestion, 'from' | 'count'>) => Promise<JobListAnswer>
  readonly #pages = new Map<number, ReadonlyArray<JobRow> | undefined>()

  constructor(ask: (question: Pick<JobListQuestion, 'from' | 'count'>) => Promise<JobListAnswer>) {
    this.#ask = ask
  }

  /** Returns the row of the table of jobs at a place of the sorted order, from 0; undefined until the row arrives. */
  at(place: number): JobRow | undefined {
    return this.#pages.get(Math.floor(place / PAGE))?.[place % PAGE]
  }

  /** Requests the pages of the rows from `first` to `last` that are neither stored nor requested. */
  want(first: number, last: number): void {
    for (let page = Math.floor(first / PAGE); page <= Math.floor(last / PAGE); page++)
      if (!this.#pages.has(page)) void this.#load(page)
  }

  async #load(page: number): Promise<void> {
    this.#pages.set(page, undefined)
    if (this.#pages.size > MOST_PAGES) this.#pages.delete(this.#pages.keys().next().value!)
    try {
      const { rows, ...summary } = await this.#ask({ from: page * PAGE, count: PAGE })
      this.#pages.set(page, rows)
      this.summary.value = summary
    } catch (error) {
      this.#pages.delete(page)
      this.summary.value = { error: (error as Error).message, jobs: 0, found: 0, unnamed: [], histogram: null }
    }
    this.came.value++
  }
}
