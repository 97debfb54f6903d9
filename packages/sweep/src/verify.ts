import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { attempt, type RunSpec } from '@cloister/run'
import { Effect } from 'effect'
import { differing } from './cell-result.ts'
import { CellWorkers } from './cell-workers.ts'
import { seenWorkers } from './claims.ts'
import type { Cell } from './experiment.ts'
import { type Placed, readPlaced, ResultsRead } from './results-read.ts'
import { cellsOfShard } from './shard-queue.ts'
import { joinSweep, type WorkerOptions } from './shard-worker.ts'
import type { SweepFolder } from './sweep-folder.ts'

/** Comparison of repeated cells with the stored results. */
export interface Verification {
  readonly again: number
  /** Number of repeated cells whose first result is from another host. */
  readonly elsewhere: number
  readonly different: ReadonlyArray<{
    readonly cell: RunSpec
    readonly worker: string
    readonly fields: ReadonlyArray<string>
  }>
}

interface Candidate extends Cell {
  readonly placed: Placed
  readonly elsewhere: boolean
}

/** Repeats a share of the finished cells, first cells of other hosts, and compares the results byte by byte. */
export const verifyCells = Effect.fnUntraced(function* (
  cells: ReadonlyArray<Cell>,
  folder: SweepFolder,
  options: WorkerOptions,
  share: number,
  remark: (text: string) => Effect.Effect<void>,
) {
  const { files } = yield* joinSweep(folder, options)
  const drawn = yield* attempt(() => draw(cells, folder, share))
  const pool = yield* (yield* CellWorkers).pool(options.workers)
  const different: Array<Verification['different'][number]> = []
  const verify = Effect.fnUntraced(function* ({ cell, digest, placed }: Candidate) {
    const answer = yield* pool.run({ cell, options }, () => {})
    yield* Effect.forEach(answer.remarks, remark)
    const { line, result } = yield* attempt(() => readPlaced(placed))
    const fields =
      answer.type === 'failed'
        ? [`the run fails now: ${answer.reason}`]
        : JSON.stringify(answer.result) === line
          ? []
          : differing(result, answer.result)
    if (fields.length > 0) different.push({ cell, worker: placed.worker, fields })
    yield* attempt(() => files.addCheck({ cell: digest, of: placed.worker, equal: fields.length === 0, fields }))
  })
  const mine = cellsOfShard(drawn, options.shard)
  yield* Effect.forEach(mine, verify, { concurrency: options.workers, discard: true })
  const elsewhere = mine.filter((each) => each.elsewhere).length
  const outcome: Verification = { again: mine.length, elsewhere, different }
  return outcome
}, Effect.scoped)

/** Draws a share of the finished cells, rounded up: other hosts' cells first, in a fixed order by the cell's digest. */
function draw(cells: ReadonlyArray<Cell>, folder: SweepFolder, share: number): ReadonlyArray<Candidate> {
  const read = new ResultsRead(folder)
  read.refresh()
  const workers = seenWorkers(folder)
  const done = cells.flatMap((cell): ReadonlyArray<Candidate> => {
    const placed = read.results.get(cell.digest)?.[0]
    if (placed === undefined) return []
    const host = workers.get(placed.worker)?.host
    return [{ ...cell, placed, elsewhere: host !== undefined && host !== hostname() }]
  })
  const rank = (candidate: Candidate): string => `${candidate.elsewhere ? 0 : 1}${lot(candidate.digest)}`
  return done.sort((a, b) => (rank(a) < rank(b) ? -1 : 1)).slice(0, Math.ceil(done.length * share))
}

function lot(digest: string): string {
  return createHash('sha256').update(`verify ${digest}`).digest('hex')
}
