import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core'
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { reveal } from '../../navigation/reveal.ts'
import type { RunClient } from '../../state/run-client.ts'
import { hoveredJob, jobsSort, selectedJob } from '../../state/view-state.ts'
import { type JobColumn, jobColumns } from './columns.ts'
import type { RowPages } from './row-pages.ts'

/** Height of a row of the table of jobs, in CSS pixels. */
const ROW = 22
/** Number of rows that exist in the page above the visible rows, and below them, for the next scrolling. */
const OVERSCAN = 12

/** Gap between two columns, and space at each end of a row, in CSS pixels. */
const [BETWEEN, ENDS] = [8, 4]

const grid = {
  gridTemplateColumns: jobColumns.map(({ width }) => `minmax(${width}px, ${width}fr)`).join(' '),
  gap: `${BETWEEN}px`,
  padding: `0 ${ENDS}px`,
}
/** Least width of the table of jobs. In a narrower pane the whole table scrolls sideways, so that no heading is cut. */
const least = { minWidth: `${jobColumns.reduce((sum, { width }) => sum + width + BETWEEN, 2 * ENDS - BETWEEN)}px` }

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
  const scroller = useRef<HTMLDivElement>(null)
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
  const items = virtual.current.getVirtualItems()
  if (items.length > 0) pages.want(items[0].index, items[items.length - 1].index)
  return (
    <div class="job-table" role="table" aria-label="Jobs" aria-rowcount={rows + 1} data-testid="jobs">
      <div class="rows" role="rowgroup" ref={scroller} tabIndex={0} aria-label="Rows">
        <div role="row" aria-rowindex={1} class="head" style={{ ...grid, ...least }}>
          {jobColumns.map((column) => (
            <Heading key={column.field} column={column} />
          ))}
        </div>
        <div role="presentation" style={{ ...least, height: `${virtual.current.getTotalSize()}px` }}>
          {items.map(({ index, start }) => (
            <Row key={index} run={run} pages={pages} index={index} start={start} />
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
  pages,
  index,
  start,
}: {
  readonly run: RunClient
  readonly pages: RowPages
  readonly index: number
  readonly start: number
}): JSX.Element {
  const row = pages.at(index)
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      class="row"
      style={{ ...grid, transform: `translateY(${start}px)`, height: `${ROW}px` }}
      data-selected={row !== undefined && row.job === selectedJob.value}
      onPointerEnter={() => {
        hoveredJob.value = row?.job
      }}
      onPointerLeave={() => {
        hoveredJob.value = undefined
      }}
      onClick={() => {
        if (row !== undefined) reveal({ kind: 'job', run, job: row.job })
      }}
    >
      {jobColumns.map(({ field, isNumber, text }) => (
        <div role="cell" key={field} class={isNumber ? 'number' : ''}>
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
