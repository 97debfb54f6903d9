// Simulates the two runs that the playground shows before the first click, and draws a picture of each run.
import { auditLog } from '@cloister/audit'
import { type Allocate, headerTopology, readLog } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { computeMetrics } from '@cloister/metrics'
import type { GivenSpec } from '@cloister/run'
import { parseIdset } from '@cloister/topology'
import { gzipSync } from 'node:zlib'
import { logOf } from './paper-runs.ts'
import { columnOf } from './playground/figures.ts'
import type { StoredRuns } from './playground/page/viewer.tsx'
import { askedRun, firstSetup } from './playground/setup.ts'
import { type Part, partOf } from './playground/viewed-part.ts'

interface Stored {
  readonly stored: StoredRuns
  /** Texts of files for the playground's folder, by name: a picture of each run, and both logs. */
  readonly files: Readonly<Record<string, string>>
}

/** Simulates the runs of the playground's first set-up. @param root root of the repository */
export async function simulateStored(root: string): Promise<Stored> {
  const { policies } = firstSetup
  const specs = ([0, 1] as const).map((side) => askedRun(firstSetup, side, {}).spec)
  const logs = await Promise.all(specs.map((spec) => logOf(root, spec as GivenSpec & { readonly policy: string })))
  const metrics = logs.map((log) => computeMetrics(readLog([log], sha256)))
  const column = (at: 0 | 1) => columnOf(policies[at], metrics[at], auditLog([logs[at]], sha256))
  const [header] = readLog([logs[0]], sha256)
  if (header.type !== 'header') throw new Error('the log of a stored run has no header')
  const makespan = Math.max(...metrics.map((each) => each.makespan ?? 0))
  const part = partOf(metrics[0].jobs.finished, headerTopology(header).nodes, makespan)
  const embedded = logs.map((log) => gzipSync(log, { level: 9 }).toString('base64'))
  return {
    stored: { columns: [column(0), column(1)], part },
    files: {
      'stored-a.svg': pictureOf(logs[0], part),
      'stored-b.svg': pictureOf(logs[1], part),
      'stored.json': JSON.stringify(embedded),
    },
  }
}

const WIDTH = 960
const ROW = 3

/** Draws the jobs of a part of a run as SVG: a row for each node, and a rectangle for each range of nodes of a job. */
function pictureOf(log: Uint8Array, { from, to, nodes }: Part): string {
  const x = (t: number): number =>
    Math.round((Math.min(Math.max(t, from), to) - from) * (WIDTH / (to - from)) * 10) / 10
  const started = new Map<string, Allocate>()
  const jobs: Array<string> = []
  for (const record of readLog([log], sha256)) {
    if (record.type === 'allocate') started.set(record.job, record)
    const start = record.type === 'release' ? started.get(record.job) : undefined
    if (record.type !== 'release' || start === undefined || record.t <= from || start.t >= to) continue
    const path = rangesOf(start.nodes, nodes).map(
      ([first, last]) => `M${x(start.t)} ${first * ROW}H${x(record.t)}V${(last + 1) * ROW}H${x(start.t)}z`,
    )
    // Each further job gets a very different colour.
    jobs.push(`<path fill="hsl(${(started.size * 137) % 360} 28% 60%)" d="${path.join('')}"/>`)
  }
  const size = `viewBox="0 0 ${WIDTH} ${nodes * ROW}" width="${WIDTH}" height="${nodes * ROW}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} preserveAspectRatio="none" stroke="#fff" stroke-width=".5">${jobs.join('')}</svg>\n`
}

/** Returns the first and last node of each range of an idset, up to a number of nodes. */
function rangesOf(idset: string, nodes: number): ReadonlyArray<readonly [number, number]> {
  const ranges: Array<[number, number]> = []
  for (const node of parseIdset(idset)) {
    const last = ranges.at(-1)
    if (node >= nodes) break
    if (last !== undefined && last[1] === node - 1) last[1] = node
    else ranges.push([node, node])
  }
  return ranges
}
