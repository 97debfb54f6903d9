import type { Header } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { givingMatrices } from '@cloister/replay'
import { attempt, matrixPaths, readMatrices } from '@cloister/run'
import { readText } from '@cloister/run/node'
import { Effect, type Option } from 'effect'
import { Problem } from '../errors/errors.ts'
import { visibleOnOneLine } from '../terminal/output.ts'
import type { RepeatedReading } from './log-reading.ts'

type NamedMatrix = NonNullable<Header['workload']['matrices']>[number]

/** Makes `reading` add the matrices of `--matrices` to the jobs, because a log has only their names and checksums. */
export const giveMatrices = Effect.fnUntraced(function* (
  reading: RepeatedReading,
  { workload: { matrices: named = [] } }: Header,
  given: Option.Option<string>,
) {
  if (named.length === 0 && given._tag === 'None') return
  if (given._tag === 'None')
    return yield* wrong(
      `is missing; expected the files of the communication matrices in the log's header: ${listed(named)}`,
    )
  reading.change = givingMatrices((yield* matricesOf(named, given.value)).map(({ matrix }) => matrix))
})

/** Reads the matrix files of `--matrices`. Fails unless the files are exactly the matrices in a log's header. */
export const matricesOf = Effect.fnUntraced(function* (named: ReadonlyArray<NamedMatrix>, given: string) {
  if (named.length === 0) return yield* wrong('the log has no communication matrix')
  const files = yield* attempt(() => readMatrices(matrixPaths(given), { readText }, sha256), 'matrices')
  const missing = named.filter((one) => files.every(({ matrix }) => matrix.sha256 !== one.sha256))
  const others = files.filter(({ matrix }) => named.every((one) => matrix.sha256 !== one.sha256))
  if (missing.length === 0 && others.length === 0) return files
  const found = others.map(({ path, matrix }) => `${path} (SHA-256 ${matrix.sha256}), not a matrix of the log`)
  return yield* wrong(
    [
      ...(found.length === 0 ? [] : [`found ${found.join(', ')}`]),
      ...(missing.length === 0 ? [] : [`expected the file of ${listed(missing)}`]),
    ].join('; '),
  )
})

function listed(matrices: ReadonlyArray<NamedMatrix>): string {
  return visibleOnOneLine(matrices.map(({ name, sha256: sum }) => `${name} (SHA-256 ${sum})`).join(', '))
}

function wrong(reason: string): Problem {
  return new Problem(`--matrices: ${reason}`)
}
