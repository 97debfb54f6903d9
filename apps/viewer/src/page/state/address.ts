import { batch, computed, effect, type ReadonlySignal, type Signal } from '@preact/signals'
import { sides } from '../../run/questions.ts'
import { colorings } from '../drawing/colors.ts'
import { type AddressField, panels, tracks } from '../extensions.ts'
import {
  clockBy,
  colorBy,
  cursor,
  folded,
  following,
  LEAST_PANE,
  MOST_PANE,
  pace,
  paneNames,
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
  trackOrder,
  zoom,
} from './view-state.ts'

/** Fields of the page's address, without the fields of panels. A field with an invalid value gets its initial value. */
const fields: ReadonlyArray<AddressField> = [
  {
    name: 't',
    text: () => (cursor.value.seq === undefined ? String(cursor.value.t) : undefined),
    read: (text) => {
      cursor.value = { t: numberOf(text) ?? 0 }
    },
  },
  choice('side', side, sides, 'a'),
  {
    name: 'seq',
    text: () => cursor.value.seq?.toString(),
    read: (text) => {
      const seq = numberOf(text)
      if (seq !== undefined) cursor.value = { t: 0, seq: Math.trunc(seq), side: side.value }
    },
  },
  span('zoom', zoom, roundTime),
  span('rows', rows, Math.round),
  optional(
    'job',
    selectedJob,
    (job) => job,
    (text) => text ?? undefined,
  ),
  list('pins', pins, encodeURIComponent, decoded),
  optional('link', shownLink, ({ level, link }) => `${level},${link}`, linkOf),
  {
    name: 'fold',
    text: () =>
      folded.value === undefined || folded.value.join() === foldedAtFirst().join() ? undefined : folded.value.join(),
    read: (text) => {
      folded.value = text === null ? undefined : parts(text)
    },
  },
  list('tracks', trackOrder),
  list('above', pinnedTracks),
  {
    name: 'panes',
    text: () =>
      paneNames.flatMap((name) => (panes.value[name] === undefined ? [] : [`${name}:${panes.value[name]}`])).join() ||
      undefined,
    read: (text) => {
      const shares = parts(text).map((part) => part.split(':'))
      panes.value = Object.fromEntries(
        paneNames.flatMap((name) => {
          const share = Number(shares.find(([each]) => each === name)?.[1])
          return share >= LEAST_PANE && share <= MOST_PANE ? [[name, share] as const] : []
        }),
      )
    },
  },
  choice('clock', clockBy, ['run', 'utc', 'local'], 'run'),
  choice('color', colorBy, colorings, 'job'),
  {
    name: 'tab',
    text: () => (tab.value === (panels.value[0]?.name ?? '') ? undefined : tab.value),
    read: (text) => {
      const all = panels.peek()
      tab.value = (all.find(({ name }) => name === text) ?? all[0])?.name ?? ''
    },
  },
  optional('pod', pod, String, numberOf),
  {
    name: 'follow',
    text: () => (following.value ? '1' : undefined),
    read: (text) => {
      following.value = text === '1'
    },
  },
  choice('theme', theme, ['light', 'dark', 'system'], 'system'),
  choice('pace', pace, ['time', 'pass', 'record'], 'time'),
  {
    name: 'speed',
    text: () => (speed.value === 2 ? undefined : String(speed.value)),
    read: (text) => {
      speed.value = speeds.find((each) => each === numberOf(text)) ?? 2
    },
  },
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

function choice<Value extends string>(
  name: string,
  of: Signal<Value>,
  known: ReadonlyArray<Value>,
  initial: Value,
): AddressField {
  return {
    name,
    text: () => (of.value === initial ? undefined : of.value),
    read: (text) => {
      of.value = known.find((value) => value === text) ?? initial
    },
  }
}

/** Returns the field of a value that is undefined initially. */
export function optional<Value>(
  name: string,
  of: Signal<Value | undefined>,
  textOf: (value: Value) => string,
  valueOf: (text: string | null) => Value | undefined,
): AddressField {
  return {
    name,
    text: () => (of.value === undefined ? undefined : textOf(of.value)),
    read: (text) => {
      of.value = valueOf(text)
    },
  }
}

function span(name: string, of: Signal<Span | undefined>, round: (value: number) => number): AddressField {
  return optional(
    name,
    of,
    ({ from, to }) => `${round(from)},${round(to)}`,
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
  return {
    name,
    text: () => (of.value.length === 0 ? undefined : of.value.map((value) => textOf(value)).join()),
    read: (text) => {
      of.value = parts(text).map((part) => valueOf(part))
    },
  }
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
