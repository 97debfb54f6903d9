import type { Signal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { shortened } from '../../words.ts'
import { panels } from '../extensions.ts'
import { reveal } from '../state/reveal.ts'
import type { RunClient } from '../state/run-client.ts'
import { activeRun, runs, select, timeText } from '../state/session.ts'
import { hoveredJob, sets, side, tab } from '../state/view-state.ts'

/** Tabs for the panels, and the open panel. */
export function Panels(): JSX.Element {
  const run = activeRun.value
  const offered = panels.value.filter(({ isOffered }) => isOffered?.() !== false)
  const shown = offered.map(({ name }) => name)
  const Content = panels.value.find(({ name }) => name === tab.value)?.content
  return (
    <section class="panels" aria-label="Details">
      <div class="tabs">
        <div
          role="tablist"
          aria-label="Details"
          onKeyDown={(event) => {
            const move = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
            if (move === 0) return
            event.stopPropagation()
            tab.value = shown[(shown.indexOf(tab.value) + move + shown.length) % shown.length]
            ;(event.currentTarget.children[shown.indexOf(tab.value)] as HTMLElement).focus()
          }}
        >
          {offered.map(({ name: each, title }) => (
            <button
              key={each}
              type="button"
              role="tab"
              id={`tab-${each}`}
              aria-selected={tab.value === each}
              aria-controls="panel"
              tabIndex={tab.value === each ? 0 : -1}
              onClick={(event) => {
                tab.value = each
                // A clicked tab loses the focus, so that the arrow keys step through the run instead of the tabs.
                if (event.detail > 0) event.currentTarget.blur()
              }}
            >
              {title}
            </button>
          ))}
        </div>
        {runs.value.length > 1 ? <SideChoice /> : null}
      </div>
      <div role="tabpanel" id="panel" aria-labelledby={`tab-${tab.value}`} tabIndex={0}>
        {run === undefined || Content === undefined ? null : <Content key={`${tab.value}-${run.side}`} run={run} />}
      </div>
    </section>
  )
}

function SideChoice(): JSX.Element {
  return (
    <span class="sides" role="group" aria-label="Run of the panel">
      {runs.value.map((run) => (
        <button key={run.side} type="button" aria-pressed={activeRun.value === run} onClick={sets(side, run.side)}>
          {run.side.toUpperCase()}
        </button>
      ))}
    </span>
  )
}

/** Link that selects a job. While the pointer is on the link, all views highlight the job. */
export function JobLink({
  job,
  children,
}: {
  readonly job: string
  readonly children?: ComponentChildren
}): JSX.Element {
  return (
    <button
      type="button"
      class="link"
      title={job}
      onClick={() => select(job)}
      onPointerEnter={sets(hoveredJob, job)}
      onPointerLeave={sets(hoveredJob, undefined)}
    >
      {children ?? shortened(job)}
    </button>
  )
}

/** Link that moves the cursor to a record, and opens the record panel. */
export function RecordLink({ run, seq }: { readonly run: RunClient; readonly seq: number }): JSX.Element {
  return (
    <button
      type="button"
      class="link"
      onClick={() => {
        reveal({ kind: 'record', seq, on: run.side })
        tab.value = 'record'
      }}
    >
      {seq}
    </button>
  )
}

/** Link that moves the cursor to a time. */
export function TimeLink({ t }: { readonly t: number }): JSX.Element {
  return (
    <button type="button" class="link" onClick={() => reveal({ kind: 'time', t })}>
      {timeText(t)}
    </button>
  )
}

/** Head of a table; a heading in brackets stands above numbers. */
export function Head({
  columns,
}: {
  readonly columns: ReadonlyArray<string | readonly [ofNumbers: string]>
}): JSX.Element {
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column} class={typeof column === 'string' ? undefined : 'number'}>
            {column}
          </th>
        ))}
      </tr>
    </thead>
  )
}

/** Link that shows a whole list, or again only its first entries. */
export function More({ isOpen, more }: { readonly isOpen: Signal<boolean>; readonly more: string }): JSX.Element {
  return (
    <button type="button" class="link" onClick={sets(isOpen, !isOpen.value)}>
      {isOpen.value ? 'fewer' : more}
    </button>
  )
}
