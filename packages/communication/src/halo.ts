import { gridOf } from './stencil.ts'

/**
 * Matrices of programs that exchange the borders of their blocks, each rank a cube of so many cells: made by rule, from what
 * the programs are known to do, not measured.
 */

/** Cells along an edge of a rank's block, and bytes of a cell. */
const EDGE = 64
const CELL = 8

/** With whom a rank exchanges what, on a grid of ranks as nearly cubic as can be. */
export type Halo =
  /** All 26 neighbours: faces, edges and corners (HPCG, miniFE). */
  | '27-point'
  /** The six across faces (MiniGhost). */
  | '7-point'
  /** One dimension after the other on a periodic grid, each with what came before (LAMMPS, miniMD). */
  | 'staged'
  /** The six across faces, some blocks of which are refined and have four times as much (miniAMR). */
  | 'refined'

/** All halos. */
export const halos: ReadonlyArray<Halo> = ['27-point', '7-point', 'staged', 'refined']

/**
 * @param draw an integer of [0, below): which blocks are refined
 * @returns `matrix[i][j]` bytes from rank i to rank j, as many as from j to i
 */
export function haloMatrix(halo: Halo, ranks: number, draw: (below: number) => number): ReadonlyArray<Float64Array> {
  const grid = gridOf(ranks, 3)
  const placeOf = (rank: number): ReadonlyArray<number> => [
    Math.floor(rank / (grid[1] * grid[2])),
    Math.floor(rank / grid[2]) % grid[1],
    rank % grid[2],
  ]
  const places = Array.from({ length: ranks }, (_, rank) => placeOf(rank))
  const isRefined = places.map(() => halo === 'refined' && draw(4) === 0)
  const bytes = Array.from({ length: ranks }, () => new Float64Array(ranks))
  for (let a = 0; a < ranks; a++) {
    for (let b = a + 1; b < ranks; b++) {
      const offsets = grid.map((extent, at) => {
        const far = Math.abs(places[a][at] - places[b][at])
        return halo === 'staged' ? Math.min(far, extent - far) : far
      })
      const cells = cellsBetween(halo, offsets)
      bytes[a][b] = bytes[b][a] = cells * CELL * (isRefined[a] || isRefined[b] ? 4 : 1)
    }
  }
  return bytes
}

/** @param offsets between two blocks, along each dimension */
function cellsBetween(halo: Halo, offsets: ReadonlyArray<number>): number {
  if (offsets.some((offset) => offset > 1)) return 0
  const apart = offsets.reduce((sum, offset) => sum + offset, 0)
  // A face, an edge, a corner.
  if (halo === '27-point') return apart === 1 ? EDGE * EDGE : apart === 2 ? EDGE : 1
  if (apart !== 1) return 0
  const grown = EDGE + 2
  const along = offsets.indexOf(1)
  return halo !== 'staged' || along === 0 ? EDGE * EDGE : along === 1 ? EDGE * grown : grown * grown
}
