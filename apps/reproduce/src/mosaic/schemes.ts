import type { Scheme } from '../experiment/outcomes.ts'
import type { Discipline } from '../experiment/reproduction.ts'
import * as paper from '../jigsaw/paper.ts'

/** Textbook EASY, the default of runs without further options. */
export const plain: Discipline = { queue: paper.queue, reservation: 'movable', windowOrder: 'queue', replan: false }

/** Queue discipline of our figures. */
export const ours: Discipline = { ...plain, windowOrder: 'largest', replan: true }

const policies: ReadonlyArray<Scheme> = [
  ...paper.schemes.filter(({ name }) => ['Baseline', 'LC+S', 'Jigsaw', 'LaaS'].includes(name)),
  { name: 'Mosaic', spec: { policy: 'mosaic' } },
]

/**
 * Returns the policies of these names under a queue discipline; `more` distinguishes the compared schemes by a suffix.
 */
export function schemesUnder(
  { queue: _queue, ...discipline }: Discipline,
  more = '',
  names: ReadonlyArray<string> = policies.map(({ name }) => name),
): ReadonlyArray<Scheme> {
  return policies
    .filter(({ name }) => names.includes(name))
    .map(({ name, spec }) => ({ name: `${name}${more}`, spec: { ...spec, ...discipline } }))
}
