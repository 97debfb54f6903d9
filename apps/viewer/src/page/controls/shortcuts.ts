import { jumpToDivergence } from '../state/divergences.ts'
import { pinSelection, zoomToSelection } from '../omnibox/commands.ts'
import { reveal, revealAll } from '../navigation/reveal.ts'
import { goToWorst } from '../tracks/worst-moment.ts'
import { isHelpOpen } from './help-open.ts'
import { togglePlay } from './playback.ts'
import { activeRun, pan, panRows, runs, select, step, visible, whole, zoomBy, zoomRows } from '../state/session.ts'
import { colorBy, following, pod, rows, side, tab } from '../state/view-state.ts'

export interface Shortcut {
  readonly keys: string
  readonly does: string
  readonly run: (event: KeyboardEvent) => void
}

/** Keys of the page. In text fields, selection lists and text areas, only ctrl-k works, and escape leaves the field. */
export const shortcuts: ReadonlyArray<Shortcut & { readonly key: string }> = [
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
  {
    key: 'm',
    keys: 'm',
    does: 'go to the worst visible moment: most idle nodes while a waiting job needs no more than are idle',
    run: () => void goToWorst(),
  },
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
  { key: 'q', keys: 'q', does: 'queue: why jobs wait', run: opens('queue') },
  {
    key: 'g',
    keys: 'g',
    does: 'sizes of jobs that would fit, and changes that would let the first job of the queue start',
    run: opens('fits'),
  },
  {
    key: 'e',
    keys: 'e',
    does: 'uses of the node-time in the visible area or in the selected area',
    run: opens('area'),
  },
  {
    key: 'b',
    keys: 'b',
    does: 'notes on the run: note the shown state, or go back to a noted state',
    run: opens('notes'),
  },
  { key: 't', keys: 't', does: 'table of all jobs', run: opens('jobs') },
  { key: 'j', keys: 'j', does: 'show the selected job', run: opens('job') },
  { key: 'r', keys: 'r', does: 'record at the cursor', run: opens('record') },
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
      const all = ['job', 'size', 'wait', 'slowdown', 'backfilled'] as const
      colorBy.value = all[(all.indexOf(colorBy.peek()) + 1) % all.length]
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
]

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
    const found = shortcuts.find((each) => each.key === key)
    if (found === undefined) return
    if (key === ' ' || key.includes('Arrow') || key === 'Home' || key === 'End') event.preventDefault()
    found.run(event)
  })
}

function opens(panel: typeof tab.value): () => void {
  return () => {
    tab.value = panel
  }
}
