import { gridOf } from './stencil.ts'

/**
 * Communication matrices of programs that exchange the borders of their blocks. Each rank has a cube of cells. The
 * matrices are made by rules from the known behaviour of the programs, without measurements.
 */

/** Number of cells along an edge of a rank's block. `CELL` is the number of bytes of a cell. */
const EDGE = 64
const CELL = 8

/** Kind of an exchange of borders between neighbours on a grid of ranks that is as nearly cubic as possible. */
export type Halo =
  /** Exchange with all 26 neighbours: across faces, edges and corners (HPCG, miniFE). */
  | '27-point'
  /** Exchange with the six neighbours across faces (MiniGhost). */
  | '7-point'
  /**
   * Exchange along one dimension after the next on a periodic grid, also of borders received before (LAMMPS, miniMD).
   */
  | 'staged'
  /** Exchange with the six neighbours across faces, with messages of refined blocks four times as large (miniAMR). */
  | 'refined'

/** List of all kinds of halos. */
export const halos: ReadonlyArray<Halo> = ['27-point', '7-point', 'staged', 'refined']

/**
 * Returns the communication matrix of a halo: the bytes from rank i to rank j, and equally from j to i, in
 * `matrix[i][j]`.
 *
 * @param draw function that returns a random integer from 0 to `below` - 1, for the choice of the refined blocks
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

/** Returns the number of cells from one rank to another. `offsets` are the distances of their blocks by dimension. */
function cellsBetween(halo: Halo, offsets: ReadonlyArray<number>): number {
  if (offsets.some((offset) => offset > 1)) return 0
  const apart = offsets.reduce((sum, offset) => sum + offset, 0)
  // The shared border is a face, an edge or a corner.
  if (halo === '27-point') return apart === 1 ? EDGE * EDGE : apart === 2 ? EDGE : 1
  if (apart !== 1) return 0
  const grown = EDGE + 2
  const along = offsets.indexOf(1)
  return halo !== 'staged' || along === 0 ? EDGE * EDGE : along === 1 ? EDGE * grown : grown * grown
}
