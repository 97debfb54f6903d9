import type { Reproduction } from './experiment/reproduction.ts'
import { combal } from './combal/reproductions.ts'
import { coverage } from './coverage/reproductions.ts'
import { contention } from './contention/reproductions.ts'
import { jigsaw } from './jigsaw/reproductions.ts'
import { mosaic } from './mosaic/reproductions.ts'
import { mishra } from './mishra/reproductions.ts'
import { nearMisses } from './near-misses/reproductions.ts'
import { packingRules } from './packing-rules/reproductions.ts'
import { pascual } from './pascual/reproductions.ts'
import { pollard } from './pollard/reproductions.ts'

/** All reproductions, paper by paper. */
export const reproductions: ReadonlyArray<Reproduction> = [
  ...jigsaw,
  ...pascual,
  ...mishra,
  ...pollard,
  ...combal,
  ...contention,
  ...nearMisses,
  ...mosaic,
  ...packingRules,
  ...coverage,
]
