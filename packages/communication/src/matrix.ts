import type { Pattern } from './pattern.ts'

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
