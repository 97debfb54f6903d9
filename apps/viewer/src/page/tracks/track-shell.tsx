import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { type Track, tracks } from '../extensions.ts'
import { foldedAtFirst } from '../state/address.ts'
import { folded, pinnedTracks, toggle, trackOrder } from '../state/view-state.ts'
import { useTrack } from './track-canvas.tsx'

/** All tracks of the page: the fixed tracks, then the pinned tracks, then the other tracks. */
export function Tracks(): JSX.Element {
  const offered = tracks.value.filter(({ isOffered }) => isOffered?.() !== false)
  const movable = offered.filter(({ isFixed }) => isFixed !== true)
  const names = ordered(
    movable.map(({ name }) => name),
    trackOrder.value,
    pinnedTracks.value,
  )
  const frames = names.map((name) => (
    <MovableTrack key={name} track={movable.find((track) => track.name === name)!} shown={names} />
  ))
  const above = frames.slice(0, names.filter((name) => pinnedTracks.value.includes(name)).length)
  return (
    <>
      {offered.map((track) => (track.isFixed === true ? <FixedTrack key={track.name} track={track} /> : null))}
      <section class="timelines" aria-label="Use of the machine over time">
        {above.length === 0 ? null : (
          <div class="above" style={{ '--above': above.length }}>
            {above}
          </div>
        )}
        {frames.slice(above.length)}
      </section>
    </>
  )
}

function FixedTrack({ track }: { readonly track: Track }): JSX.Element {
  const { canvas, legend, tip, saveButtons } = useTrack(track, 'canvases')
  return (
    <section class={`fixed-track ${track.style ?? ''}`} aria-label={track.name}>
      <header>
        <b>{track.name}</b>
        {legend}
        {tip}
        {saveButtons}
      </header>
      {canvas}
      {track.below === undefined ? null : <TrackBelow track={track.below} />}
    </section>
  )
}

function MovableTrack({
  track,
  shown,
}: {
  readonly track: Track
  /** Names of all movable tracks, in their shown order. */
  readonly shown: ReadonlyArray<string>
}): JSX.Element {
  const all = folded.value ?? foldedAtFirst()
  const isFolded = all.includes(track.name)
  const { canvas, legend, tip, saveButtons } = useTrack(track, 'plot', isFolded)
  return (
    <figure data-folded={isFolded}>
      <figcaption>
        <button
          type="button"
          class="fold"
          aria-expanded={!isFolded}
          onClick={() => {
            folded.value = isFolded ? all.filter((each) => each !== track.name) : [...all, track.name]
          }}
        >
          {track.name}
        </button>
        {legend}
        {tip}
        <span class="tools">
          <TrackButtons title={track.name} shown={shown} />
          {saveButtons}
        </span>
      </figcaption>
      {track.draw === undefined ? null : canvas}
      {isFolded || track.below === undefined ? null : <TrackBelow track={track.below} />}
    </figure>
  )
}

/** A track in the frame of another track. */
function TrackBelow({ track }: { readonly track: Track }): JSX.Element | null {
  return track.isOffered?.() === false ? null : <OfferedBelow track={track} />
}

function OfferedBelow({ track }: { readonly track: Track }): JSX.Element {
  const { canvas, legend, tip, saveButtons } = useTrack(track, 'canvases')
  return (
    <div class={`below ${track.style ?? ''}`}>
      <p>
        {legend}
        {tip}
        {saveButtons}
      </p>
      {canvas}
    </div>
  )
}

/** Two buttons of a track: ⠿ moves the track by dragging or arrow keys; `pin` keeps the track above other tracks. */
function TrackButtons({
  title,
  shown,
}: {
  readonly title: string
  /** Names of all movable tracks, in their shown order. */
  readonly shown: ReadonlyArray<string>
}): JSX.Element {
  const handle = useRef<HTMLButtonElement>(null)
  const isMoved = useRef(false)
  const place = shown.indexOf(title)
  useLayoutEffect(() => {
    // An element that moves in the page loses the focus.
    if (isMoved.current) handle.current?.focus()
    isMoved.current = false
  }, [place])
  const move = (by: number): void => {
    const now = moved(shown, title, by, pinnedTracks.peek())
    if (now.indexOf(title) === place) return
    isMoved.current = true
    trackOrder.value = now
  }
  const isPinned = pinnedTracks.value.includes(title)
  return (
    <>
      <button
        type="button"
        class="handle"
        ref={handle}
        aria-label={`Move ${title}`}
        title="drag, or use the arrow keys, to move the track"
        onKeyDown={(event) => {
          if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
          event.preventDefault()
          event.stopPropagation()
          move(event.key === 'ArrowUp' ? -1 : 1)
        }}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) move(placesAway(event))
        }}
      >
        ⠿
      </button>
      <button
        type="button"
        aria-pressed={isPinned}
        aria-label={`Pin ${title} above`}
        title="pin the track above the other tracks"
        onClick={() => toggle(pinnedTracks, title)}
      >
        pin
      </button>
    </>
  )
}

/** Returns by how many places (negative: up) a dragged track moves: one for each track middle beyond the pointer. */
function placesAway({
  currentTarget,
  clientY,
}: {
  readonly currentTarget: HTMLElement
  readonly clientY: number
}): number {
  const own = currentTarget.closest('figure')
  if (own === null || own.parentElement === null) return 0
  const middle = (figure: Element): number => {
    const { top, height } = figure.getBoundingClientRect()
    return top + height / 2
  }
  const all = [...own.parentElement.children].filter((each) => each.matches('figure'))
  const at = all.indexOf(own)
  return (
    all.slice(at + 1).filter((each) => clientY > middle(each)).length -
    all.slice(0, at).filter((each) => clientY < middle(each)).length
  )
}

/** Returns the shown order of tracks: pinned tracks first; in both groups by `order`, then in the order of `titles`. */
export function ordered(
  titles: ReadonlyArray<string>,
  order: ReadonlyArray<string>,
  pinned: ReadonlyArray<string>,
): ReadonlyArray<string> {
  const known = order.filter((title) => titles.includes(title))
  const all = [...new Set([...known, ...titles])]
  return [...all.filter((title) => pinned.includes(title)), ...all.filter((title) => !pinned.includes(title))]
}

/** Returns the order of tracks after the track `title` moved by `by` places among the pinned or the unpinned tracks. */
export function moved(
  shown: ReadonlyArray<string>,
  title: string,
  by: number,
  pinned: ReadonlyArray<string>,
): ReadonlyArray<string> {
  const isPinned = pinned.includes(title)
  const group = shown.filter((each) => pinned.includes(each) === isPinned)
  const from = group.indexOf(title)
  const rest = group.filter((each) => each !== title)
  const to = Math.max(0, Math.min(rest.length, from + by))
  const now = [...rest.slice(0, to), title, ...rest.slice(to)]
  const others = shown.filter((each) => pinned.includes(each) !== isPinned)
  return isPinned ? [...now, ...others] : [...others, ...now]
}
