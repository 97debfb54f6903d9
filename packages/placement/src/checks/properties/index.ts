import type { Property } from '../question.ts'
import { answers } from './answers.ts'
import { complete } from './complete.ts'
import { connected } from './connected.ts'
import { equalStates } from './equal-states.ts'
import { fullBandwidth } from './full-bandwidth.ts'
import { index } from './index-kept.ts'
import { keys } from './keys.ts'
import { placementUnchanged } from './placement-unchanged.ts'
import { monotone } from './monotone.ts'
import { mostNodes } from './most-nodes.ts'
import { noLinks } from './no-links.ts'
import { placedByKey } from './placed-by-key.ts'
import { placements } from './placements.ts'
import { refusals } from './refusals.ts'
import { sizes } from './sizes.ts'
import { untouched } from './untouched.ts'

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
