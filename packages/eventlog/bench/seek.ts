/**
 * Measures seeking in a log file: node --conditions=@cloister/source bench/seek.ts LOG [STATES]. Deletes the log's
 * index first.
 */
import { rmSync } from 'node:fs'
import { seededDraws } from '@cloister/topology'
import { indexPath, openSeekableLog } from '../src/node/index.ts'

const [path, states = '200'] = process.argv.slice(2)
if (path === undefined) throw new Error('the path of a log is missing: bench/seek.ts LOG [STATES]')

function timed<A>(run: () => A): readonly [result: A, milliseconds: number] {
  const began = performance.now()
  const result = run()
  return [result, performance.now() - began]
}

rmSync(indexPath(path), { force: true })
const [first, indexing] = timed(() => openSeekableLog(path, { keepIndex: true }))
first.close()
const [log, opening] = timed(() => openSeekableLog(path))
const { records, lastTime } = log.index
const next = seededDraws(1)
const times = Array.from(
  { length: Number(states) },
  (_, at) => timed(() => (at % 2 === 0 ? log.stateAt(next(records)) : log.stateAtTime(next(lastTime))))[1],
).sort((a, b) => a - b)
const rank = (share: number): string => times[Math.min(times.length - 1, Math.floor(share * times.length))].toFixed(1)
console.log(
  `${records} records, ${log.index.submits.length} jobs; first opening ${(indexing / 1000).toFixed(2)} s, second opening ${opening.toFixed(0)} ms`,
)
console.log(`${times.length} states: median ${rank(0.5)} ms, 95th percentile ${rank(0.95)} ms, longest ${rank(1)} ms`)
log.close()
