import { describeSpec } from '@cloister/run'
import { attempt } from '@cloister/run/node'
import { NoSweepError, readSweep, statusOf, sweepFolderOf, type SweepStatus } from '@cloister/sweep'
import { Effect, Option } from 'effect'
import { print } from '../terminal/output.ts'
import { count, duration, percent } from '../terminal/quantities.ts'
import { fields } from '../terminal/table.ts'
import { experimentCells } from './experiment.ts'

export interface StatusOptions {
  readonly experiment: string
  readonly from: Option.Option<string>
  readonly audit: boolean
  readonly lease: number
  readonly json: boolean
}

export const showStatus = Effect.fn(function* ({ experiment, from, audit, lease, json }: StatusOptions) {
  const cells = yield* experimentCells(experiment, audit)
  const path = Option.getOrElse(from, () => sweepFolderOf(experiment))
  const { folder, read } = yield* readSweep(path)
  if (folder === undefined) return yield* new NoSweepError({ path })
  const status = yield* attempt(() => statusOf(cells, folder, read, lease))
  yield* print(json, status, () => statusText(status))
})

function statusText(status: SweepStatus): string {
  const { cells, done, running, stale, failed, waiting, workers, secondsLeft: left, verified: again } = status
  const rows: Array<readonly [string, string]> = [
    ['cells', count(cells)],
    ['done', `${count(done)}, ${percent(done / cells)}`],
    ['running', count(running)],
    ['stale', `${count(stale)}${stale === 0 ? '' : ', begun by workers that no longer run'}`],
    ['failed', count(failed)],
    ['waiting', count(waiting)],
    ['workers', `${workers.atWork} running, ${workers.silent} without a heartbeat, ${workers.ended} ended`],
    ['time left', left === null ? '-' : duration(left)],
  ]
  if (again.equal + again.different > 0)
    rows.push(['verified', `${count(again.equal)} equal, ${count(again.different)} different`])
  const reasons = status.reasons.map(
    ({ reason, cells: those, first }) =>
      `failed: ${describeSpec(first)}${those === 1 ? '' : ` and ${count(those - 1)} more`}: ${reason}`,
  )
  return [fields(rows), ...reasons].join('\n')
}
