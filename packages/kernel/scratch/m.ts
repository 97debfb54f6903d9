import { sha256 } from '@cloister/eventlog/node'
import { readLog } from '@cloister/eventlog'
import { readFileSync } from 'node:fs'
import { MetricsFold } from '../../metrics/src/index.ts'
for (const f of process.argv.slice(2)) {
  const g = readLog([readFileSync(f)], sha256)
  const t0=performance.now()
  const m = new MetricsFold()
  let r = g.next(); let n=0
  while (!r.done) { m.add(r.value); n++; r = g.next() }
  const x: any = m.result()
  console.log(f, n, r.value.status, (performance.now()-t0).toFixed(0)+'ms', JSON.stringify(x).slice(0,900))
}
