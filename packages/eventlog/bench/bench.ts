// Writes and reads a log as large as LLNL Thunder's under Jigsaw: `node --conditions=@cloister/source bench/bench.ts`.
import { performance } from 'node:perf_hooks'
import { parseTopology } from '@cloister/topology'
import { type Header, type LogHeader, type LogRecord, LogState, LogWriter, readLog } from '../src/index.ts'
import { sha256 } from '../src/node/index.ts'

const JOBS = 105_764
const header: LogHeader = {
  workload: { name: 'bench', filter: '', jobs: JOBS, sha256: '0'.repeat(64) },
  policy: {
    name: 'bench',
    version: '1.0.0',
    config: {},
    claims: {
      links: 'owned',
      full_bandwidth: false,
      exact_size: true,
      monotone: true,
      complete: true,
      speedup_scenarios: true,
    },
  },
  options: { arrivals: 'zero', queue: 'easy:50', estimates: 'exact' },
  origin: 'simulated',
  seal_every: 256,
  program: 'bench@1.0.0',
}
const topology = parseTopology('radix:18')

const RUNNING = 40

/** Returns 30 of 36 consecutive ids that belong to one running job, in ranges of 2 to 10 ids. */
function ids(job: number): Int32Array {
  const first = 36 * (job % RUNNING)
  const run = 5 + (job % 6)
  return Int32Array.from({ length: 30 }, (_, i) => first + i + Math.floor(i / run))
}
const allocations = Array.from({ length: 6 * RUNNING }, (_, job) => ({
  nodes: ids(job),
  links: [ids(job), job % 3 === 0 ? ids(job) : []],
}))

function write(): Uint8Array[] {
  const chunks: Uint8Array[] = []
  const log = new LogWriter(header, topology, (chunk) => chunks.push(chunk), sha256)
  for (let job = 0; job < JOBS; job++)
    log.record({ type: 'submit', t: 0, job: String(job), size: 30, estimate: (job % 5000) * 1000 })
  const started: number[] = []
  for (let job = 0; job < JOBS; job++) {
    const t = job * 35_000
    if (job >= RUNNING) {
      const cause = log.record({ type: 'finish', t, job: String(job - RUNNING), cause: started[job - RUNNING] })
      log.record({ type: 'release', t, job: String(job - RUNNING), cause })
    }
    started[job] = log.record({
      type: 'allocate',
      t,
      job: String(job),
      ...allocations[job % allocations.length],
      cause: job,
    })
  }
  log.record({
    type: 'end',
    t: JOBS * 35_000,
    submitted: JOBS,
    started: JOBS,
    finished: JOBS,
    rejected: 0,
    killed: 0,
    cancelled: 0,
  })
  return chunks
}

for (let round = 0; round < 5; round++) {
  let start = performance.now()
  const chunks = write()
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  console.log(`write ${(performance.now() - start).toFixed(0)} ms, ${(bytes / 1e6).toFixed(1)} MB`)
  start = performance.now()
  const records: LogRecord[] = []
  const log = readLog(chunks, sha256)
  let next = log.next()
  for (; next.done !== true; next = log.next()) records.push(next.value)
  console.log(`read ${(performance.now() - start).toFixed(0)} ms, ${records.length} records, ${next.value.status}`)
  start = performance.now()
  const state = new LogState(records[0] as Header)
  for (const record of records.slice(1)) state.apply(record)
  console.log(`fold ${(performance.now() - start).toFixed(0)} ms, ${state.waiting.size} waiting`)
}
