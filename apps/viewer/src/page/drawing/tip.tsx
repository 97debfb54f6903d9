import type { ComponentChildren, JSX } from 'preact'
import type { Size } from './canvas.ts'

/** Text beside the pointer, on the side with more space. @param at pointer's place in `within`, in CSS pixels */
export function Tip({
  at,
  within,
  children,
}: {
  readonly at: { readonly x: number; readonly y: number }
  readonly within: Size
  readonly children: ComponentChildren
}): JSX.Element {
  const style = {
    ...(at.x > within.width / 2 ? { right: `${within.width - at.x + 12}px` } : { left: `${at.x + 12}px` }),
    ...(at.y > within.height / 2 ? { bottom: `${within.height - at.y + 8}px` } : { top: `${at.y + 12}px` }),
  }
  return (
    <div class="tip" aria-hidden="true" style={style}>
      {children}
    </div>
  )
}
