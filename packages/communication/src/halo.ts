import { gridOf } from './stencil.ts'

/**
 * Communication matrices of programs that exchange the borders of their blocks. Each rank has a cube of cells. The
 * matrices are not measured but made by rules from the known behaviour of the programs.
 */

/** Cells along an edge of a rank's block, and bytes of a cell. */
const EDGE = 64
const CELL = 8

/** Neighbours and amounts of an exchange of borders, on a grid of ranks that is as nearly cubic as possible. */
export type Halo =
  /** All 26 neighbours: faces, edges and corners (HPCG, miniFE). */
  | '27-point'
  /** Six neighbours across faces (MiniGhost). */
  | '7-point'
  /** One dimension after the next on a periodic grid, with the received borders included (LAMMPS, miniMD). */
  | 'staged'
  /** Six neighbours across faces; messages of refined blocks are four times as large (miniAMR). */
  | 'refined'

/** All kinds of halos. */
export const halos: ReadonlyArray<Halo> = ['27-point', '7-point', 'staged', 'refined']

/**
 * Returns the communication matrix of a halo.
 *
 * @param draw returns an integer from 0 to below `below`; draws the refined blocks
 * @returns `matrix[i][j]`: bytes from rank i to rank j, equal to the bytes from j to i
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

/** @param offsets offset between two blocks along each dimension */
function cellsBetween(halo: Halo, offsets: ReadonlyArray<number>): number {
  if (offsets.some((offset) => offset > 1)) return 0
  const apart = offsets.reduce((sum, offset) => sum + offset, 0)
  // Sizes of a face, an edge and a corner.
  if (halo === '27-point') return apart === 1 ? EDGE * EDGE : apart === 2 ? EDGE : 1
  if (apart !== 1) return 0
  const grown = EDGE + 2
  const along = offsets.indexOf(1)
  return halo !== 'staged' || along === 0 ? EDGE * EDGE : along === 1 ? EDGE * grown : grown * grown
}
