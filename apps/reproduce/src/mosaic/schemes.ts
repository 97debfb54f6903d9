import type { Scheme } from '../experiment/outcomes.ts'
import type { Discipline } from '../experiment/reproduction.ts'
import * as paper from '../jigsaw/paper.ts'

/** EASY as the textbook has it, which is what runs are under that say nothing else. */
export const plain: Discipline = { queue: paper.queue, reservation: 'movable', windowOrder: 'queue', replan: false }

/** The queue discipline of our figures. */
export const ours: Discipline = { ...plain, windowOrder: 'largest', replan: true }

const policies: ReadonlyArray<Scheme> = [
  ...paper.schemes.filter(({ name }) => ['Baseline', 'LC+S', 'Jigsaw', 'LaaS'].includes(name)),
  { name: 'Mosaic', spec: { policy: 'mosaic' } },
]

/** The policies of these names, under a queue discipline; `more` tells apart what is compared. */
export function schemesUnder(
  { queue: _queue, ...discipline }: Discipline,
  more = '',
  names: ReadonlyArray<string> = policies.map(({ name }) => name),
): ReadonlyArray<Scheme> {
  return policies
    .filter(({ name }) => names.includes(name))
    .map(({ name, spec }) => ({ name: `${name}${more}`, spec: { ...spec, ...discipline } }))
}
