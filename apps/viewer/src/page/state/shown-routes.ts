import type { RoutedPath } from '@cloister/eventlog'
import { type Signal, signal } from '@preact/signals'
import { type AddressField } from '../extensions.ts'
import { field } from './address.ts'
import type { RunClient } from './run-client.ts'
import { tab } from './view-state.ts'

// Choices of the routes panel, and the path that the fabric draws.

/** Name of the routes panel. */
export const ROUTES = 'routes'

/** Nodes whose path is shown: both, only the sender while the user clicks the second node, or none. */
export const shownPair: Signal<{ readonly from: number; readonly to: number | undefined } | undefined> =
  signal(undefined)
/** Switch whose table is shown: level, 0 for a leaf, and id on the level; undefined for none. */
export const shownSwitch: Signal<{ readonly level: number; readonly sw: number } | undefined> = signal(undefined)
/** Path in the fabric of a run; undefined while the routes panel is closed, or shows no path. */
export const drawnPath: Signal<{ readonly run: RunClient; readonly path: RoutedPath } | undefined> = signal(undefined)

/** Fields of the page's address for the choices of the panel. */
export const routeFields: ReadonlyArray<AddressField> = [
  field(
    'path',
    shownPair,
    (pair) => pair && [pair.from, ...(pair.to === undefined ? [] : [pair.to])].join(),
    (text) => {
      const [, from, to] = /^(\d{1,9})(?:,(\d{1,9}))?$/.exec(text ?? '') ?? []
      return from === undefined ? undefined : { from: Number(from), to: to === undefined ? undefined : Number(to) }
    },
  ),
  field(
    'switch',
    shownSwitch,
    (shown) => shown && `${shown.level},${shown.sw}`,
    (text) => {
      const [, level, sw] = /^(\d{1,2}),(\d{1,9})$/.exec(text ?? '') ?? []
      return level === undefined ? undefined : { level: Number(level), sw: Number(sw) }
    },
  ),
]

/** Opens the routes panel with the path between two nodes. */
export function showPath(from: number, to: number): void {
  tab.value = ROUTES
  shownPair.value = { from, to }
}

/** Takes a clicked node as the first or second node of the shown path, if the routes panel is open. */
export function pickNode(node: number): void {
  if (tab.peek() !== ROUTES) return
  const pair = shownPair.peek()
  shownPair.value =
    pair === undefined || pair.to !== undefined || pair.from === node
      ? { from: node, to: undefined }
      : { from: pair.from, to: node }
}
