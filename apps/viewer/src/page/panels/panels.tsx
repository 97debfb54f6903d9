import type { JSX } from 'preact'
import { AreaPanel } from './area/area-panel.tsx'
import { ComparePanel } from './compare-panel.tsx'
import { FiguresPanel } from './figures-panel.tsx'
import { JobPanel } from './job-panel.tsx'
import { JobsPanel } from './jobs/jobs-panel.tsx'
import { NotesPanel } from './notes-panel.tsx'
import { QueuePanel } from './queue-panel.tsx'
import { RecordPanel } from './record-panel.tsx'
import { FitsPanel } from './fits/fits-panel.tsx'
import type { RunClient } from '../state/run-client.ts'
import { activeRun, runs } from '../state/session.ts'
import { side, type Tab, tab } from '../state/view-state.ts'

const names: Readonly<Record<Tab, string>> = {
  queue: 'Queue',
  job: 'Job',
  jobs: 'Jobs',
  fits: 'Sizes that fit',
  area: 'Area',
  record: 'Record',
  compare: 'Compare',
  figures: 'Figures',
  notes: 'Notes',
}

/** Tabs for the panels on the queue, jobs, records, comparison, metrics and notes, and the panel of the chosen tab. */
export function Panels(): JSX.Element {
  const run = activeRun.value
  const shown = (Object.keys(names) as ReadonlyArray<Tab>).filter((each) => each !== 'compare' || runs.value.length > 1)
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
          {shown.map((each) => (
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
              {names[each]}
            </button>
          ))}
        </div>
        {runs.value.length > 1 ? <SideChoice /> : null}
      </div>
      <div role="tabpanel" id="panel" aria-labelledby={`tab-${tab.value}`} tabIndex={0}>
        {run === undefined ? null : <Panel key={`${tab.value}-${run.side}`} run={run} />}
      </div>
    </section>
  )
}

function SideChoice(): JSX.Element {
  return (
    <span class="sides" role="group" aria-label="Run of the panel">
      {runs.value.map((run) => (
        <button
          key={run.side}
          type="button"
          aria-pressed={activeRun.value === run}
          onClick={() => {
            side.value = run.side
          }}
        >
          {run.side.toUpperCase()}
        </button>
      ))}
    </span>
  )
}

function Panel({ run }: { readonly run: RunClient }): JSX.Element {
  switch (tab.value) {
    case 'queue':
      return <QueuePanel run={run} />
    case 'fits':
      return <FitsPanel run={run} />
    case 'area':
      return <AreaPanel run={run} />
    case 'jobs':
      return <JobsPanel run={run} />
    case 'job':
      return <JobPanel run={run} />
    case 'record':
      return <RecordPanel run={run} />
    case 'compare':
      return <ComparePanel />
    case 'notes':
      return <NotesPanel />
    case 'figures':
      return <FiguresPanel />
  }
}
