import type { ComponentChildren, JSX } from 'preact'
import type { RunClient } from '../state/run-client.ts'
import { reveal } from '../navigation/reveal.ts'
import { timeText } from '../state/clock.ts'
import { select } from '../state/session.ts'
import { hoveredJob, tab } from '../state/view-state.ts'

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
      onClick={() => select(job)}
      onPointerEnter={() => {
        hoveredJob.value = job
      }}
      onPointerLeave={() => {
        hoveredJob.value = undefined
      }}
    >
      {children ?? job}
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
