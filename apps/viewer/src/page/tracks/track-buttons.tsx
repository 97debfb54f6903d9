import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { pinnedTracks, trackOrder } from '../state/view-state.ts'
import { moved } from './track-order.ts'

/** Two buttons of a track: ⠿ moves the track by dragging or arrow keys; `pin` keeps the track above other tracks. */
export function TrackButtons({
  title,
  shown,
}: {
  readonly title: string
  /** Titles of all tracks, in their shown order. */
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
        onClick={() => {
          const all = pinnedTracks.peek()
          pinnedTracks.value = isPinned ? all.filter((each) => each !== title) : [...all, title]
        }}
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
