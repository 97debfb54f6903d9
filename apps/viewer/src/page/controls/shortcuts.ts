import { type Signal, signal } from '@preact/signals'
import { jumpToDivergence } from '../state/divergences.ts'
import { togglePlay } from './playback.ts'
import { activeRun, moveTo, runs, select, showAll, step, whole, zoomBy } from '../state/session.ts'
import { colorBy, following, pod, side, tab } from '../state/view-state.ts'

export const isHelpOpen: Signal<boolean> = signal(false)

export interface Shortcut {
  readonly keys: string
  readonly does: string
  readonly run: (event: KeyboardEvent) => void
}

/** Keys that work everywhere except in input fields. */
export const shortcuts: ReadonlyArray<Shortcut & { readonly key: string }> = [
  { key: ' ', keys: 'space', does: 'play, pause', run: () => togglePlay() },
  { key: 'ArrowRight', keys: '→', does: 'next record', run: () => void step('record', 1) },
  { key: 'ArrowLeft', keys: '←', does: 'record before', run: () => void step('record', -1) },
  {
    key: 'Shift+ArrowRight',
    keys: 'shift →',
    does: 'end of the next scheduling pass',
    run: () => void step('pass', 1),
  },
  { key: 'Shift+ArrowLeft', keys: 'shift ←', does: 'end of the pass before', run: () => void step('pass', -1) },
  { key: 'Home', keys: 'home', does: 'beginning', run: () => moveTo(0) },
  { key: 'End', keys: 'end', does: 'end', run: () => moveTo(whole.peek().to) },
  { key: '+', keys: '+', does: 'closer, about the cursor', run: () => zoomBy(0.5) },
  { key: '-', keys: '−', does: 'further away', run: () => zoomBy(2) },
  { key: '0', keys: '0', does: 'all of it', run: showAll },
  { key: 'n', keys: 'n', does: 'next difference between two runs', run: () => jumpToDivergence(1) },
  { key: 'N', keys: 'shift n', does: 'difference before', run: () => jumpToDivergence(-1) },
  {
    key: 'x',
    keys: 'x',
    does: 'the other of two runs',
    run: () => {
      if (runs.peek().length === 2) side.value = side.peek() === 'a' ? 'b' : 'a'
    },
  },
  {
    key: 'q',
    keys: 'q',
    does: 'queue: why jobs wait',
    run: () => {
      tab.value = 'queue'
    },
  },
  {
    key: 'j',
    keys: 'j',
    does: 'selected job',
    run: () => {
      tab.value = 'job'
    },
  },
  {
    key: 'r',
    keys: 'r',
    does: 'record at the cursor',
    run: () => {
      tab.value = 'record'
    },
  },
  {
    key: 'f',
    keys: 'f',
    does: 'follow a run that is being written',
    run: () => {
      following.value = !following.peek()
    },
  },
  {
    key: 'c',
    keys: 'c',
    does: 'next colouring',
    run: () => {
      const all = ['job', 'size', 'wait', 'slowdown', 'backfilled'] as const
      colorBy.value = all[(all.indexOf(colorBy.peek()) + 1) % all.length]
    },
  },
  { key: ']', keys: ']', does: 'next pod of the fabric alone', run: () => showPod(1) },
  { key: '[', keys: '[', does: 'pod before', run: () => showPod(-1) },
  {
    key: '/',
    keys: '/',
    does: 'search for a job',
    run: (event) => {
      event.preventDefault()
      document.querySelector<HTMLInputElement>('#search')?.focus()
    },
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
    does: 'these keys',
    run: () => {
      isHelpOpen.value = !isHelpOpen.peek()
    },
  },
]

function showPod(direction: 1 | -1): void {
  const pods = activeRun.peek()?.topology.pods ?? 1
  const shown = pod.peek()
  pod.value = shown === undefined ? (direction === 1 ? 0 : pods - 1) : (shown + direction + pods) % pods
}

export function listenToKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const target = event.target as HTMLElement
    // The slider of times has no use of its own for keys.
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
