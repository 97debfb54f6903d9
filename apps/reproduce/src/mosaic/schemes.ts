import type { Scheme } from '../experiment/outcomes.ts'
import type { Discipline } from '../experiment/reproduction.ts'
import * as paper from '../jigsaw/paper.ts'

/** Textbook EASY: a window of 50 jobs, movable reservations, and no further options of EASY. */
export const plain: Discipline = { queue: paper.queue, reservation: 'movable', windowOrder: 'queue', replan: false }

/** Queue discipline of our own figures of Mosaic: the largest job of the window first, with `replan`. */
export const ours: Discipline = { ...plain, windowOrder: 'largest', replan: true }

const policies: ReadonlyArray<Scheme> = [
  ...paper.schemes.filter(({ name }) => ['Baseline', 'LC+S', 'Jigsaw', 'LaaS'].includes(name)),
  { name: 'Mosaic', spec: { policy: 'mosaic' } },
]

/** Returns schemes of the policies `names` under a queue discipline. @param more suffix of the schemes' names */
export function schemesUnder(
  { queue: _queue, ...discipline }: Discipline,
  more = '',
  names: ReadonlyArray<string> = policies.map(({ name }) => name),
): ReadonlyArray<Scheme> {
  return policies
    .filter(({ name }) => names.includes(name))
    .map(({ name, spec }) => ({ name: `${name}${more}`, spec: { ...spec, ...discipline } }))
}
