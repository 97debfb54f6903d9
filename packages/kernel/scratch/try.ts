import { countingRecorder, LogWriter } from '@cloister/eventlog'
import { sha256 } from '@cloister/eventlog/node'
import { bindPolicy } from '@cloister/placement'
import { baseline } from '@cloister/policy-baseline'
import { jigsaw } from '@cloister/policy-jigsaw'
import { parseTopology } from '@cloister/topology'
import { loadWorkload } from '@cloister/trace-io'
import { writeFileSync, openSync, writeSync } from 'node:fs'
import { simulate, describeRun } from '../src/index.ts'
const [trace, topo, pol, mode, out, walltime='exact', overrun='run-on', cfg='{}'] = process.argv.slice(2)
const topology = parseTopology(topo!)
const { workload } = loadWorkload(trace!, { ...(process.env.ARR ? { arrivals: process.env.ARR } : {}), folders: ['../../../shared/traces'] })
const policy: any = pol === 'jigsaw' ? jigsaw : baseline
const bound = bindPolicy(policy, topology, JSON.parse(cfg))
const queue = { order: 'submit', backfill: 'easy', window: 50 } as const
const runs = mode === 'nolog' ? 5 : mode === 'bench' ? 5 : 1
for (let i = 0; i < runs; i++) {
let bytes = 0
const chunks: Uint8Array[] = []
const header = describeRun({ workload, bound, queue, walltime: walltime as any, overrun: overrun as any, arrivals: 'zero', seed: 1, decisions: false, program: 'cloister@1.0.0' })
const fd = out && mode !== 'nolog' ? openSync(out, 'w') : undefined
const recorder = mode === 'nolog' ? countingRecorder() : new LogWriter(header, topology, (c) => { bytes += c.length; if (fd) writeSync(fd, c) }, sha256)
// steady utilisation
const jobs = new Map(workload.jobs.map((j) => [j.id, j])); 
const t0 = performance.now()
const totals = simulate({ topology, policyName: policy.name, placer: bound.placer, workload, queue, walltime: walltime as any, overrun: overrun as any, decisions: false, recorder })
const dt = performance.now() - t0
console.log(trace, pol, mode, JSON.stringify(totals), (dt).toFixed(0) + 'ms', (dt * 1000 / workload.jobs.length).toFixed(2) + 'us/job', bytes, Math.round(process.memoryUsage().rss / 1e6) + 'MB')
}
