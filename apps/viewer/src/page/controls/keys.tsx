import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { colorings } from '../drawing/colors.ts'
import { savePage } from '../drawing/save.tsx'
import { panels } from '../extensions.ts'
import { listMostSpread } from '../panels/job-table.tsx'
import { jumpToDivergence } from '../state/comparison.ts'
import { faultOf, revealFault } from '../state/faults.ts'
import { goToWorst, reveal, revealAll, zoomToJob } from '../state/reveal.ts'
import { activeRun, pan, panRows, runs, select, step, visible, whole, zoomBy, zoomRows } from '../state/session.ts'
import {
  colorBy,
  differences,
  following,
  pins,
  pod,
  rows,
  selectedJob,
  sets,
  side,
  tab,
  theme,
  toggle,
} from '../state/view-state.ts'
import { togglePlay } from './transport.tsx'

/** True while the list of keys is shown. */
export const isHelpOpen: Signal<boolean> = signal(false)

interface Shortcut {
  readonly key: string
  /** Name of the key in the list of keys. */
  readonly keys: string
  readonly does: string
  readonly run: (event: KeyboardEvent) => void
}

/** Keys of the page. In text fields, selection lists and text areas, only ctrl-k works, and escape leaves the field. */
const shortcuts: ReadonlySignal<ReadonlyArray<Shortcut>> = computed(() => [
  { key: ' ', keys: 'space', does: 'play, pause', run: () => togglePlay() },
  { key: 'ArrowRight', keys: '→', does: 'next record', run: () => void step('record', 1) },
  { key: 'ArrowLeft', keys: '←', does: 'previous record', run: () => void step('record', -1) },
  { key: 'Shift+ArrowRight', keys: 'shift →', does: 'next end of a scheduling pass', run: () => void step('pass', 1) },
  {
    key: 'Shift+ArrowLeft',
    keys: 'shift ←',
    does: 'previous end of a scheduling pass',
    run: () => void step('pass', -1),
  },
  { key: 'Home', keys: 'home', does: 'go to the beginning of the run', run: () => reveal({ kind: 'time', t: 0 }) },
  {
    key: 'End',
    keys: 'end',
    does: 'go to the end of the run',
    run: () => reveal({ kind: 'time', t: whole.peek().to }),
  },
  { key: '+', keys: '+', does: 'zoom in around the cursor', run: () => zoomBy(0.5) },
  { key: '-', keys: '−', does: 'zoom out', run: () => zoomBy(2) },
  { key: 'ArrowUp', keys: '↑', does: 'zoom in', run: () => zoomBy(0.5) },
  { key: 'ArrowDown', keys: '↓', does: 'zoom out', run: () => zoomBy(2) },
  { key: 'a', keys: 'a', does: 'show earlier times', run: () => panBy(-1 / 5) },
  { key: 'd', keys: 'd', does: 'show later times', run: () => panBy(1 / 5) },
  { key: 'w', keys: 'w', does: 'show the nodes above', run: () => panRowsBy(-1 / 5) },
  { key: 's', keys: 's', does: 'show the nodes below', run: () => panRowsBy(1 / 5) },
  { key: 'W', keys: 'shift w', does: 'show fewer nodes', run: () => zoomRowsBy(0.5) },
  { key: 'S', keys: 'shift s', does: 'show more nodes', run: () => zoomRowsBy(2) },
  { key: 'f', keys: 'f', does: 'zoom to the selected job', run: zoomToSelection },
  { key: 'p', keys: 'p', does: 'pin the selected job: a pinned job stays marked', run: pinSelection },
  { key: 'm', keys: 'm', does: 'go to the worst visible moment: most fragmented nodes', run: () => void goToWorst() },
  { key: '0', keys: '0', does: 'show all times and nodes', run: revealAll },
  { key: 'n', keys: 'n', does: 'next difference between the runs', run: () => jumpToDivergence(1) },
  { key: 'N', keys: 'shift n', does: 'previous difference between the runs', run: () => jumpToDivergence(-1) },
  {
    key: 'x',
    keys: 'x',
    does: 'make the next of several runs active',
    run: () => {
      const all = runs.peek().map((run) => run.side)
      if (all.length > 1) side.value = all[(all.indexOf(side.peek()) + 1) % all.length]
    },
  },
  {
    key: 'v',
    keys: 'v',
    does: 'mark the differences of two runs',
    run: () => {
      if (runs.peek().length > 1) differences.value = !differences.peek()
    },
  },
  ...panels.value.flatMap(({ name, key }) =>
    key === undefined ? [] : [{ key: key.key, keys: key.key, does: key.does, run: () => open(name) }],
  ),
  {
    key: 'l',
    keys: 'l',
    does: 'follow a run that is being written',
    run: () => {
      following.value = !following.peek()
    },
  },
  {
    key: 'c',
    keys: 'c',
    does: 'next colouring of the jobs',
    run: () => {
      colorBy.value = colorings[(colorings.indexOf(colorBy.peek()) + 1) % colorings.length]
    },
  },
  { key: ']', keys: ']', does: 'show the next pod of the fabric alone', run: () => showPod(1) },
  { key: '[', keys: '[', does: 'show the previous pod of the fabric alone', run: () => showPod(-1) },
  {
    key: '/',
    keys: '/ ctrl-k',
    does: 'search: a job, user, time, record or part of the machine, a query for jobs, or a command',
    run: focusOmnibox,
  },
  {
    key: 'Escape',
    keys: 'esc',
    does: 'select nothing',
    run: () => {
      if (isHelpOpen.peek()) isHelpOpen.value = false
      else select(undefined)
    },
  },
  {
    key: '?',
    keys: '?',
    does: 'show this list of keys',
    run: () => {
      isHelpOpen.value = !isHelpOpen.peek()
    },
  },
])

function open(panel: string): void {
  tab.value = panel
}

function focusOmnibox(event: KeyboardEvent): void {
  event.preventDefault()
  document.querySelector<HTMLInputElement>('#search')?.focus()
}

function panBy(share: number): void {
  const { from, to } = visible.peek()
  pan((to - from) * share)
}

function panRowsBy(share: number): void {
  const nodes = activeRun.peek()?.topology.nodes
  const shown = rows.peek()
  if (nodes !== undefined && shown !== undefined) panRows(nodes, (shown.to - shown.from) * share)
}

function zoomRowsBy(factor: number): void {
  const nodes = activeRun.peek()?.topology.nodes
  if (nodes === undefined) return
  const shown = rows.peek() ?? { from: 0, to: nodes }
  zoomRows(nodes, factor, (shown.from + shown.to) / 2)
}

function showPod(direction: 1 | -1): void {
  const pods = activeRun.peek()?.topology.pods ?? 1
  const shown = pod.peek()
  pod.value = shown === undefined ? (direction === 1 ? 0 : pods - 1) : (shown + direction + pods) % pods
}

export function listenToKeys(): void {
  addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement
    if ((event.ctrlKey || event.metaKey) && event.key === 'k') return focusOmnibox(event)
    if (event.ctrlKey || event.metaKey || event.altKey) return
    // In panels and dialogs the arrow keys up and down scroll.
    if (/^Arrow(Up|Down)$/.test(event.key) && target.closest('[role=tabpanel], dialog') !== null) return
    // A key in an input field goes to the field, except in the slider of times.
    if (target.matches('input:not([type=range]), select, textarea')) {
      if (event.key === 'Escape') target.blur()
      return
    }
    // The space bar presses a focused button.
    if (event.key === ' ' && target.matches('button')) return
    const key =
      event.shiftKey && event.key.startsWith('Arrow') ? `Shift+${event.key}` : event.key === '=' ? '+' : event.key
    const found = shortcuts.peek().find((each) => each.key === key)
    if (found === undefined) return
    if (key === ' ' || key.includes('Arrow') || key === 'Home' || key === 'End') event.preventDefault()
    found.run(event)
  })
}

/** A command in the page's search field. */
interface Command {
  readonly name: string
  readonly run: () => void
}

/** All commands in the search field. The search field finds a command by a part of its name. */
export const commands: ReadonlySignal<ReadonlyArray<Command>> = computed(() => [
  { name: 'go to the worst moment', run: () => void goToWorst() },
  ...(runs.value.some((run) => faultOf(run) !== undefined) ? [{ name: 'go to the fault', run: revealFault }] : []),
  { name: 'list the most spread jobs', run: listMostSpread },
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
  ...panels.value.flatMap(({ name, command }) =>
    command === undefined ? [] : [{ name: command, run: () => open(name) }],
  ),
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
])

function zoomToSelection(): void {
  const [run, job] = [activeRun.peek(), selectedJob.peek()]
  if (run !== undefined && job !== undefined) zoomToJob(run, job)
}

function pinSelection(): void {
  const job = selectedJob.peek()
  if (job !== undefined) toggle(pins, job)
}

/** The list of keys and gestures. */
export function Help(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (isHelpOpen.value) dialog.current?.showModal()
    else dialog.current?.close()
  }, [isHelpOpen.value])
  return (
    <dialog
      ref={dialog}
      aria-label="Keys"
      onClose={sets(isHelpOpen, false)}
      onClick={(event) => {
        if (event.target === event.currentTarget) isHelpOpen.value = false
      }}
    >
      <header>
        <h2>Keys</h2>
        <button type="button" autofocus onClick={sets(isHelpOpen, false)}>
          Close
        </button>
      </header>
      <List entries={shortcuts.value.map(({ keys, does }) => [<kbd>{keys}</kbd>, does])} />
      <h2>Pointer</h2>
      <List entries={gestures} />
    </dialog>
  )
}

function List({
  entries,
}: {
  readonly entries: ReadonlyArray<readonly [name: JSX.Element | string, does: string]>
}): JSX.Element {
  return (
    <dl class="keys">
      {entries.map(([name, does], at) => (
        <div key={at}>
          <dt>{name}</dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Gestures of the pointer, with descriptions. */
const gestures = [
  ['click', 'go to the time and select the job under the pointer'],
  ['wheel', 'zoom in time, like two fingers; with shift, zoom in nodes'],
  ['drag', 'move the visible times and nodes; across a timeline, zoom to the dragged times'],
  ['shift, drag', 'zoom to a box of times and nodes'],
  ['alt, drag', 'show the uses of the node-time of a box'],
  ['double click', 'show all times and nodes; in the fabric, show one pod'],
] as const
