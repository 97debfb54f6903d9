import type { Property } from '../questions.ts'
import { answers, placements, ranks, refusals, sizes } from './answers.ts'
import { anyFreeNodes, complete, everySize, keys, monotone, placedByKey } from './comparisons.ts'
import { mostNodes, mostNodesBeside } from './bounds.ts'
import { connected, fullBandwidth, noLinks, shareBandwidth } from './links.ts'
import { equalStates, index, noReads, placementUnchanged, sharedUntouched, untouched } from './repeats.ts'

/** Properties without which a history cannot continue. */
export const basis: ReadonlyArray<Property> = [answers, noReads, sharedUntouched, untouched, placements]

/** All other properties, the most informative for an author first. */
export const properties: ReadonlyArray<Property> = [
  sizes,
  ranks,
  noLinks,
  connected,
  fullBandwidth,
  shareBandwidth,
  refusals,
  placementUnchanged,
  index,
  equalStates,
  monotone,
  keys,
  placedByKey,
  everySize,
  complete,
  anyFreeNodes,
  mostNodes,
  mostNodesBeside,
]
