import { batch, computed, effect, type ReadonlySignal, type Signal } from '@preact/signals'
import { sides } from '../../run/questions.ts'
import { colorings } from '../drawing/colors.ts'
import { type AddressField, panels, tracks } from '../extensions.ts'
import {
  clockBy,
  colorBy,
  cursor,
  differences,
  folded,
  following,
  LEAST_PANE,
  MOST_PANE,
  pace,
  paces,
  paneNames,
  type Panes,
  panes,
  pinnedTracks,
  pins,
  pod,
  rows,
  selectedJob,
  shownLink,
  side,
  type Span,
  speed,
  speeds,
  tab,
  theme,
  themes,
  trackOrder,
  zoom,
} from './view-state.ts'

/** Fields of the page's address, without the fields of panels. A field with an invalid value gets its initial value. */
const fields: ReadonlyArray<AddressField> = [
  field(
    't',
    cursor,
    ({ t, seq }) => (seq === undefined ? String(t) : undefined),
    (text) => ({ t: numberOf(text) ?? 0 }),
  ),
  choice('side', side, sides),
  field(
    'seq',
    cursor,
    ({ seq }) => seq?.toString(),
    (text) => {
      const seq = numberOf(text)
      return seq === undefined ? cursor.peek() : { t: 0, seq: Math.trunc(seq), side: side.peek() }
    },
  ),
  span('zoom', zoom, roundTime),
  span('rows', rows, Math.round),
  field(
    'job',
    selectedJob,
    (job) => job,
    (text) => text ?? undefined,
  ),
  list('pins', pins, encodeURIComponent, decoded),
  field('link', shownLink, (shown) => shown && `${shown.level},${shown.link}`, linkOf),
  field(
    'fold',
    folded,
    (names) => (names?.join() === foldedAtFirst().join() ? undefined : names?.join()),
    (text) => (text === null ? undefined : parts(text)),
  ),
  list('tracks', trackOrder),
  list('above', pinnedTracks),
  field(
    'panes',
    panes,
    (shares) =>
      paneNames.flatMap((name) => (shares[name] === undefined ? [] : [`${name}:${shares[name]}`])).join() || undefined,
    panesOf,
  ),
  choice('clock', clockBy, ['run', 'utc', 'local']),
  choice('color', colorBy, colorings),
  field(
    'tab',
    tab,
    (name) => (name === (panels.value[0]?.name ?? '') ? undefined : name),
    (text) => (panels.peek().find(({ name }) => name === text) ?? panels.peek()[0])?.name ?? '',
  ),
  field('pod', pod, (shown) => shown?.toString(), numberOf),
  onOff('follow', following),
  onOff('diff', differences),
  choice('theme', theme, themes),
  choice('pace', pace, paces),
  field(
    'speed',
    speed,
    (value) => (value === 2 ? undefined : String(value)),
    (text) => speeds.find((each) => each === numberOf(text)) ?? 2,
  ),
]

const allFields: ReadonlySignal<ReadonlyArray<AddressField>> = computed(() => [
  ...fields,
  ...panels.value.flatMap((panel) => panel.fields ?? []),
])

/** The page's state as the part of the address behind `#`. Except the time, fields with initial values are left out. */
export const address: ReadonlySignal<string> = computed(() => {
  const values = new URLSearchParams()
  for (const { name, text } of allFields.value) {
    const value = text()
    if (value !== undefined) values.set(name, value)
  }
  return values.toString()
})

/** Sets the page's state from an address. */
export function visit(hash: string): void {
  const values = new URLSearchParams(hash.replace(/^#/, ''))
  batch(() => {
    for (const { name, read } of allFields.peek()) read(values.get(name))
  })
}

/** Returns the names of the tracks that are folded initially. */
export function foldedAtFirst(): ReadonlyArray<string> {
  return tracks.value.flatMap(({ name, isFolded }) => (isFolded === true ? [name] : []))
}

/** Rest before the page's address changes, in ms. Browsers allow few changes of the address a second. */
const REST = 200

let own = ''
let timer: ReturnType<typeof setTimeout> | undefined
let isJump = false

/** Gives the shown place its own entry in the browser's history. The browser's back button then leads to this place. */
export function rememberPlace(): void {
  write()
  isJump = true
}

/** Keeps the page's address and the page's state equal, after changes of the state and after changes of the address. */
export function shareByAddress(): void {
  visit(location.hash)
  effect(() => {
    own = `#${address.value}`
    clearTimeout(timer)
    timer = setTimeout(write, REST)
  })
  const follow = (): void => {
    if (location.hash === own) return
    clearTimeout(timer)
    isJump = false
    visit(location.hash)
  }
  addEventListener('hashchange', follow)
  addEventListener('popstate', follow)
}

function write(): void {
  clearTimeout(timer)
  if (own === '' || own === location.hash) return
  if (isJump) history.pushState(null, '', own)
  else history.replaceState(null, '', own)
  isJump = false
}

/**
 * Returns a field of the address for a signal.
 *
 * @param textOf returns undefined for the initial value
 * @param valueOf returns the initial value for null and for an invalid text
 */
export function field<Value>(
  name: string,
  of: Signal<Value>,
  textOf: (value: Value) => string | undefined,
  valueOf: (text: string | null) => Value,
): AddressField {
  return {
    name,
    text: () => textOf(of.value),
    read: (text) => {
      of.value = valueOf(text)
    },
  }
}

/** Returns the field of a signal with some values; the first of the values is the initial value. */
function choice<Value extends string>(name: string, of: Signal<Value>, known: ReadonlyArray<Value>): AddressField {
  return field(
    name,
    of,
    (value) => (value === known[0] ? undefined : value),
    (text) => known.find((value) => value === text) ?? known[0],
  )
}

/** Returns the field of a signal that is false initially. */
function onOff(name: string, of: Signal<boolean>): AddressField {
  return field(
    name,
    of,
    (isOn) => (isOn ? '1' : undefined),
    (text) => text === '1',
  )
}

function span(name: string, of: Signal<Span | undefined>, round: (value: number) => number): AddressField {
  return field(
    name,
    of,
    (shown) => shown && `${round(shown.from)},${round(shown.to)}`,
    (text) => {
      const [from, to] = (text ?? '').split(',').map(Number)
      return Number.isFinite(from) && to > from && from >= 0 ? { from, to } : undefined
    },
  )
}

function list(
  name: string,
  of: Signal<ReadonlyArray<string>>,
  textOf: (value: string) => string = (value) => value,
  valueOf: (text: string) => string = (text) => text,
): AddressField {
  return field(
    name,
    of,
    (values) => (values.length === 0 ? undefined : values.map((value) => textOf(value)).join()),
    (text) => parts(text).map((part) => valueOf(part)),
  )
}

function panesOf(text: string | null): Panes {
  const shares = new Map(parts(text).map((part) => part.split(':') as [string, string]))
  return Object.fromEntries(
    paneNames.flatMap((name) => {
      const share = Number(shares.get(name))
      return share >= LEAST_PANE && share <= MOST_PANE ? [[name, share] as const] : []
    }),
  )
}

function parts(text: string | null): ReadonlyArray<string> {
  return (text ?? '').split(',').filter((part) => part !== '')
}

function numberOf(text: string | null): number | undefined {
  const value = Number(text ?? Number.NaN)
  return Number.isFinite(value) && value >= 0 ? value : undefined
}

function linkOf(text: string | null): { readonly level: number; readonly link: number } | undefined {
  const [, level, link] = /^(\d{1,2}),(\d{1,9})$/.exec(text ?? '') ?? []
  return level === undefined ? undefined : { level: Number(level), link: Number(link) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Rounds a time to milliseconds. */
export function roundTime(t: number): number {
  return Math.round(t * 1000) / 1000
}
