import { seededDraws } from '@cloister/topology'
import { gridOf, type Pattern } from './patterns.ts'

/** Error for a text that is no communication matrix. */
export class MatrixError extends Error {
  readonly _tag = 'MatrixError' as const
  override readonly name: string = 'MatrixError'
  /** Number of the wrong line, from 1. */
  readonly line: number

  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`)
    this.line = line
  }
}

/** Number of characters of a wrong field that an error shows at most. */
const SHOWN = 40

/**
 * Reads a communication matrix: one line for each sending rank, with a number of bytes for each receiving rank. Commas
 * or white space separate the numbers.
 *
 * @throws MatrixError for a field that is no number of at least 0, or for a line with fewer or more fields than lines
 */
export function parseMatrix(text: string): ReadonlyArray<Float64Array> {
  const lines = text.trimEnd().split('\n')
  return lines.map((line, at) => {
    const fields = line.trim().split(line.includes(',') ? /\s*,\s*/ : /\s+/)
    if (fields.length !== lines.length) {
      throw new MatrixError(
        at + 1,
        `found ${fields.length} fields, expected ${lines.length}: a matrix has as many columns as lines`,
      )
    }
    return Float64Array.from(fields, (field, column) => {
      if (!/^\d{1,99}(\.\d+)?(e\+?\d{1,2})?$/i.test(field))
        throw new MatrixError(
          at + 1,
          `column ${column + 1}: found ${JSON.stringify(field.slice(0, SHOWN))}, expected a number of bytes, from 0`,
        )
      return Number(field)
    })
  })
}

/**
 * Returns a pattern with all messages of a matrix in one step. The pattern's `forEachPair` throws a RangeError if the
 * job has a number of ranks that differs from the matrix's.
 *
 * @param matrix bytes from rank i to rank j in `matrix[i][j]`; bytes from a rank to itself do not count
 */
export function matrixPattern(name: string, matrix: ReadonlyArray<ArrayLike<number>>): Pattern {
  return {
    name,
    forEachPair(ranks, pair, endOfStep) {
      if (ranks !== matrix.length)
        throw new RangeError(`pattern ${name} has ${matrix.length} ranks, the job has ${ranks}`)
      for (let first = 0; first < ranks; first++) {
        for (let second = first + 1; second < ranks; second++) {
          const size = matrix[first][second] + matrix[second][first]
          if (size > 0) pair(first, second, size)
        }
      }
      endOfStep(1)
    },
  }
}

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

/**
 * Returns the communication matrix of a spec `halo:KIND:RANKS[:SEED]`, such as `halo:27-point:64`; undefined for any
 * other text. Ranks are at most 1024. The seed, 1 by default, draws the refined blocks of `refined`.
 */
export function parseHalo(spec: string): ReadonlyArray<Float64Array> | undefined {
  const [, kind, ranks, seed = '1'] = /^halo:([a-z0-9-]+):([1-9]\d{0,3})(?::(\d{1,10}))?$/.exec(spec) ?? []
  const halo = halos.find((each) => each === kind)
  return halo === undefined || Number(ranks) > 1024
    ? undefined
    : haloMatrix(halo, Number(ranks), seededDraws(Number(seed)))
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
