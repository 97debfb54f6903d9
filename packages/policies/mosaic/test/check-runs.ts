/**
 * Runs whole job logs on radix:18 under Mosaic, and checks the rule of CONDITION.md on every allocation and every
 * reservation:
 *
 * CLOISTER_TRACE_DIR=FOLDER pnpm --filter @cloister/policy-mosaic run whole-runs thunder thunder,drop-first:10 atlas
 */
import { loadWorkload } from '@cloister/trace-io/node'
import { parseResample, resampleWorkload } from '@cloister/workload'
import { checkRun, largestFirst } from './checked-runs.ts'

const folders = [process.env['CLOISTER_TRACE_DIR'] ?? '../../../../shared/traces']

for (const run of process.argv.slice(2)) {
  const [trace, resample] = run.split(',')
  const { workload: whole } = loadWorkload(trace, { folders, arrivals: 'zero' })
  const workload = resample === undefined ? whole : resampleWorkload(whole, parseResample(resample))
  const { checked, breaches } = checkRun('radix:18', workload, largestFirst)
  console.log(
    `${run}: ${workload.jobs.length} jobs, ${checked} allocations and reservations, ${breaches.length} breaches`,
  )
  for (const breach of breaches.slice(0, 5)) console.log(`  ${breach}`)
  if (breaches.length > 0) process.exitCode = 1
}
