import { type Signal, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { LEAST_PANE, MOST_PANE, type Pane, panes } from '../state/view-state.ts'

/** Change of a pane's share by one arrow key, in percentage points. */
const STEP = 2

/** A line between two panes: a drag or an arrow key sets the size of a pane; a double click or Enter restores it. */
export function Separator({
  pane,
  label,
  sized,
  across,
}: {
  readonly pane: Pane
  readonly label: string
  readonly sized: 'before' | 'after'
  /** True if the two panes lie side by side; false if one pane lies above the other. */
  readonly across: boolean
}): JSX.Element {
  const line = useRef<HTMLDivElement>(null)
  const share = useSignal(50)
  useEffect(() => {
    const beside = sized === 'before' ? line.current?.previousElementSibling : line.current?.nextElementSibling
    const both = line.current?.parentElement
    if (!beside || !both) return undefined
    const measure = (): void => {
      const [part, all] = [beside, both].map((each) => (across ? each.clientWidth : each.clientHeight))
      share.value = Math.round((100 * part) / Math.max(1, all))
    }
    const observer = new ResizeObserver(measure)
    for (const each of [beside, both]) observer.observe(each)
    return () => observer.disconnect()
  }, [])
  const set = (percent: number | undefined): void => {
    const { [pane]: _, ...others } = panes.peek()
    panes.value = percent === undefined ? others : { ...others, [pane]: within(percent) }
  }
  return (
    <div
      ref={line}
      class={`separator ${across ? 'across' : 'down'}`}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={across ? 'vertical' : 'horizontal'}
      aria-valuemin={LEAST_PANE}
      aria-valuemax={MOST_PANE}
      aria-valuenow={within(share.value)}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return
        const { left, top, width, height } = event.currentTarget.parentElement!.getBoundingClientRect()
        const before = across ? (event.clientX - left) / width : (event.clientY - top) / height
        set(100 * (sized === 'before' ? before : 1 - before))
      }}
      onDblClick={() => set(undefined)}
      onKeyDown={(event) => {
        const wanted = valueAfter(event.key, share.peek(), sized, across)
        if (wanted === undefined) return
        event.preventDefault()
        event.stopPropagation()
        set(wanted === 'as at first' ? undefined : wanted)
      }}
    />
  )
}

/** Returns a pane's share (%) after a key; `as at first` for Enter; undefined for a key that changes no share. */
export function valueAfter(
  key: string,
  share: number,
  sized: 'before' | 'after',
  across: boolean,
): number | 'as at first' | undefined {
  if (key === 'Enter') return 'as at first'
  if (key === 'Home') return LEAST_PANE
  if (key === 'End') return MOST_PANE
  const direction = [across ? 'ArrowLeft' : 'ArrowUp', '', across ? 'ArrowRight' : 'ArrowDown'].indexOf(key) - 1
  if (key === '' || direction < -1) return undefined
  return share + direction * STEP * (sized === 'before' ? 1 : -1)
}

function within(percent: number): number {
  return Math.round(Math.max(LEAST_PANE, Math.min(MOST_PANE, percent)))
}

/** List to choose the value of a signal from. The label is only for screen readers unless it is visible. */
export function Choice<Value extends string | number>({
  label,
  of,
  options,
  isLabelVisible = false,
}: {
  readonly label: string
  readonly of: Signal<Value>
  readonly options: ReadonlyArray<readonly [value: Value, text: string]>
  readonly isLabelVisible?: boolean
}): JSX.Element {
  return (
    <label>
      {isLabelVisible ? `${label} ` : <span class="hidden">{label}</span>}
      <select
        value={of.value}
        onChange={(event) => {
          of.value = options[event.currentTarget.selectedIndex][0]
        }}
      >
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
