import type { Pattern } from './pattern.ts'

/** Text that is no communication matrix. */
export class MatrixError extends Error {
  readonly _tag = 'MatrixError' as const
  override readonly name: string = 'MatrixError'
  /** From 1. */
  readonly line: number

  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`)
    this.line = line
  }
}

/** Characters of a field that an error shows. */
const SHOWN = 40

/**
 * Reads what each rank sends to each other one: a line for each sender, with a number for each receiver, between them commas or white
 * space.
 *
 * @throws MatrixError where a field is no number from 0, or lines have not as many fields as there are lines
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
 * All that a matrix has ranks send, in one step.
 *
 * @param matrix `matrix[i][j]` bytes from rank i to rank j; what a rank sends to itself does not count
 */
export function matrixPattern(name: string, matrix: ReadonlyArray<ArrayLike<number>>): Pattern {
  return {
    name,
    /** @throws RangeError where the job has not as many ranks as the matrix */
    forEachPair(ranks, pair, endOfStep) {
      if (ranks !== matrix.length)
        throw new RangeError(`pattern ${name} is of ${matrix.length} ranks, the job has ${ranks}`)
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
