import { type Side, sides } from '../../run/sides.ts'

/** Line style of a run in views of several runs. */
export interface Stroke {
  readonly name: string
  /** Lengths of lines and gaps, in pixels; empty for a solid line. */
  readonly dash: Array<number>
}

const strokes: ReadonlyArray<Stroke> = [
  { name: 'solid', dash: [] },
  { name: 'dashed', dash: [4, 3] },
  { name: 'dotted', dash: [1, 3] },
  { name: 'long dashes', dash: [10, 4] },
  { name: 'dash and dot', dash: [8, 3, 1, 3] },
  { name: 'wide dots', dash: [2, 7] },
  { name: 'wide dashes', dash: [6, 9] },
  { name: 'dash and two dots', dash: [8, 3, 1, 3, 1, 3] },
]

export function strokeOf({ side }: { readonly side: Side }): Stroke {
  return strokes[sides.indexOf(side)]
}
