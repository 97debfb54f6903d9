// Simulates the run of the first page under Jigsaw, and draws the run: a row for each node, time from left to right, and
// a colour for each job.
import { readLog, type LogRecord } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { jigsaw } from '@cloister/policy-jigsaw'
import { type GivenSpec, run } from '@cloister/run'
import { nodeServices } from '@cloister/run/node'
import { Effect } from 'effect'

const shownRun: GivenSpec = { trace: 'synth:16:150:3', topology: 'radix:8', policy: 'jigsaw', queue: 'easy:50' }
const NODES = 128
const WIDTH = 960
const ROW = 2.5

/** Returns the log of the run of the first page, and a picture of the run as SVG. */
export async function startRun(): Promise<{ readonly log: Uint8Array; readonly picture: string }> {
  const log: Array<Uint8Array> = []
  const services = nodeServices({ policies: [jigsaw] })
  await Effect.runPromise(run(shownRun, { sink: (chunk) => log.push(chunk) }).pipe(Effect.provide(services)))
  return { log: Buffer.concat(log), picture: drawJobs([...readLog(log, sha256)]) }
}

/** Draws jobs as SVG: a rectangle for each range of nodes of a job, from start to release. */
function drawJobs(records: ReadonlyArray<LogRecord>): string {
  const end = Math.max(...records.map((record) => ('t' in record ? record.t : 0)))
  const x = (t: number): number => Math.round((t / end) * WIDTH)
  const started = new Map<string, { readonly t: number; readonly nodes: string }>()
  const rectangles: Array<string> = []
  for (const record of records) {
    if (record.type === 'allocate') started.set(record.job, { t: record.t, nodes: record.nodes })
    if (record.type !== 'release') continue
    const { t, nodes } = started.get(record.job)!
    const path = nodes.split(',').map((range) => {
      const [first, last = first] = range.split('-').map(Number)
      return `M${x(t)} ${first * ROW}H${x(record.t)}V${(last + 1) * ROW}H${x(t)}z`
    })
    // The colour follows from the number of started jobs so far, and each further job gets a very different colour.
    rectangles.push(`<path fill="hsl(${(started.size * 137) % 360} 55% 62%)" d="${path.join('')}"/>`)
  }
  return `<svg viewBox="0 0 ${WIDTH} ${NODES * ROW}" preserveAspectRatio="none" aria-hidden="true">${rectangles.join('')}</svg>`
}
