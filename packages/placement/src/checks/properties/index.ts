import type { Property } from '../questions.ts'
import { answers, connected, fullBandwidth, noLinks, placements, refusals, sizes } from './answers.ts'
import { complete, keys, monotone, mostNodes, placedByKey } from './comparisons.ts'
import { equalStates, index, placementUnchanged, untouched } from './repeats.ts'

/** Properties without which a history cannot continue. */
export const basis: ReadonlyArray<Property> = [answers, untouched, placements]

/** All other properties, the most informative for an author first. */
export const properties: ReadonlyArray<Property> = [
  sizes,
  noLinks,
  connected,
  fullBandwidth,
  refusals,
  placementUnchanged,
  index,
  equalStates,
  monotone,
  keys,
  placedByKey,
  complete,
  mostNodes,
]
