import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { haloMatrix, halos, MatrixError, matrixPattern, parseMatrix } from '../src/index.ts'

const square = fc
  .integer({ min: 1, max: 8 })
  .chain((ranks) =>
    fc.array(fc.array(fc.nat(1e9), { minLength: ranks, maxLength: ranks }), { minLength: ranks, maxLength: ranks }),
  )

test('parseMatrix reads a matrix that was written with commas or with spaces', () => {
  fc.assert(
    fc.property(
      square,
      fc.constantFrom(',', ' ', ', ', '\t'),
      fc.constantFrom('', '\n', '\r\n\n'),
      (matrix, between, end) => {
        const text = matrix.map((row) => row.join(between)).join('\n') + end
        expect(parseMatrix(text).map((row) => Array.from(row))).toEqual(matrix)
      },
    ),
  )
})

test('matrixPattern has the messages between every two ranks, and no message from a rank to itself', () => {
  fc.assert(
    fc.property(square, (matrix) => {
      const sent = matrix.map((row) => row.map(() => 0))
      matrixPattern('m', matrix).forEachPair(
        matrix.length,
        (a, b, size) => {
          sent[a][b] += size
        },
        (times) => expect(times).toBe(1),
      )
      for (let a = 0; a < matrix.length; a++)
        for (let b = a; b < matrix.length; b++) expect(sent[a][b]).toBe(a === b ? 0 : matrix[a][b] + matrix[b][a])
    }),
  )
})

describe('parseMatrix throws an error with the line that is wrong', () => {
  it.each([
    ['1,2\n3', 'line 2: found 1 fields, expected 2: a matrix has as many columns as lines'],
    ['1 2\n3 -4\n', 'line 2: column 2: found "-4", expected a number of bytes, from 0'],
    ['0,1\n,0', 'line 2: column 1: found "", expected a number of bytes, from 0'],
    ['', 'line 1: column 1: found "", expected a number of bytes, from 0'],
  ])('parseMatrix names the wrong line of the text %j', (text, message) => {
    expect(() => parseMatrix(text)).toThrow(new MatrixError(Number(message[5]), message.slice(8)))
  })
})

test('matrixPattern refuses jobs with another number of ranks', () => {
  expect(() =>
    matrixPattern('hpcg', [
      [0, 1],
      [1, 0],
    ]).forEachPair(
      3,
      () => {},
      () => {},
    ),
  ).toThrow('pattern hpcg has 2 ranks, the job has 3')
})

const folder = join(
  process.env['CLOISTER_TRACE_DIR'] ?? join(import.meta.dirname, '../../../../shared/traces'),
  'comm-matrices',
)
const files = existsSync(folder) ? readdirSync(folder) : []
test.skipIf(files.length === 0)(`parseMatrix reads measured matrices (skipped without ${folder})`, () => {
  for (const file of files) {
    const matrix = parseMatrix(readFileSync(join(folder, file), 'utf8'))
    expect(matrix.length, file).toBe(Number(/(\d+)ranks/.exec(file)![1]))
    let pairs = 0
    matrixPattern(file, matrix).forEachPair(
      matrix.length,
      () => {
        pairs++
      },
      () => {},
    )
    expect(pairs, file).toBeGreaterThan(matrix.length / 2)
  }
})

test('haloMatrix has the bytes of corners, edges and faces of a grid of ranks, equal in both directions', () => {
  const nothing = (): number => 1
  const ghost = haloMatrix('7-point', 27, nothing)
  const all = haloMatrix('27-point', 27, nothing)
  const neighbors = (matrix: ReadonlyArray<Float64Array>, rank: number): number =>
    matrix[rank].filter((bytes) => bytes > 0).length
  expect([0, 1, 4, 13].map((rank) => neighbors(ghost, rank))).toEqual([3, 4, 5, 6])
  expect([0, 1, 4, 13].map((rank) => neighbors(all, rank))).toEqual([7, 11, 17, 26])
  expect([all[13][14], all[13][17], all[13][26]]).toEqual([64 * 64 * 8, 64 * 8, 8])
  expect(neighbors(haloMatrix('staged', 27, nothing), 0)).toBe(6)
  expect(haloMatrix('refined', 8, () => 0)[0][1]).toBe(4 * 64 * 64 * 8)
  for (const halo of halos) {
    const matrix = haloMatrix(halo, 12, nothing)
    matrix.forEach((row, a) => row.forEach((bytes, b) => expect(bytes).toBe(matrix[b][a])))
  }
})
