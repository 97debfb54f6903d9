import { jumpToDivergence } from '../state/divergences.ts'
import { activeRun, select, togglePin, whole } from '../state/session.ts'
import { following, pins, selectedJob, tab, theme } from '../state/view-state.ts'
import { savePage } from '../drawing/page-picture.ts'
import { isHelpOpen } from '../controls/help-open.ts'
import { togglePlay } from '../controls/playback.ts'
import { reveal, revealAll, zoomToJob } from '../navigation/reveal.ts'
import { goToWorst } from '../tracks/worst-moment.ts'

/** A command in the page's search field. */
export interface Command {
  readonly name: string
  readonly run: () => void
}

const toTab = (name: string, value: typeof tab.value): Command => ({
  name,
  run: () => {
    tab.value = value
  },
})

/** All commands in the search field. The search field finds a command by a part of its name. */
export const commands: ReadonlyArray<Command> = [
  { name: 'go to the worst moment', run: () => void goToWorst() },
  { name: 'show all of the run', run: revealAll },
  { name: 'go to the beginning', run: () => reveal({ kind: 'time', t: 0 }) },
  { name: 'go to the end', run: () => reveal({ kind: 'time', t: whole.peek().to }) },
  { name: 'zoom to the selected job', run: zoomToSelection },
  { name: 'pin the selected job', run: pinSelection },
  {
    name: 'unpin all jobs',
    run: () => {
      pins.value = []
    },
  },
  { name: 'select nothing', run: () => select(undefined) },
  { name: 'play or pause', run: togglePlay },
  { name: 'next difference between the runs', run: () => jumpToDivergence(1) },
  toTab('queue: why jobs wait', 'queue'),
  toTab('sizes of jobs that would fit', 'fits'),
  toTab('area: where node-time went', 'area'),
  toTab('table of all jobs', 'jobs'),
  toTab('the selected job', 'job'),
  toTab('record at the cursor', 'record'),
  toTab('figures of the run', 'figures'),
  toTab('notes on the run', 'notes'),
  { name: 'save the page as png', run: () => void savePage('png') },
  { name: 'save the page as svg', run: () => void savePage('svg') },
  {
    name: 'follow a run that is being written',
    run: () => {
      following.value = true
    },
  },
  {
    name: 'dark or light',
    run: () => {
      theme.value = theme.peek() === 'dark' ? 'light' : 'dark'
    },
  },
  {
    name: 'list the keys',
    run: () => {
      isHelpOpen.value = true
    },
  },
]

export function zoomToSelection(): void {
  const [run, job] = [activeRun.peek(), selectedJob.peek()]
  if (run !== undefined && job !== undefined) zoomToJob(run, job)
}

export function pinSelection(): void {
  const job = selectedJob.peek()
  if (job !== undefined) togglePin(job)
}
