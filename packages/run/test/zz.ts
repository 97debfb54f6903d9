import jigsaw from '@cloister/policy-jigsaw'
import laas from '@cloister/policy-laas'
import ta from '@cloister/policy-ta'
import { prepare } from '../src/index.ts'
import { Files, fileSystem, nodeServices } from '../src/node/index.ts'
import { Effect, Layer, Exit } from 'effect'
import * as fc from 'fast-check'
import { mkdtempSync } from 'node:fs'
import { checkRun, specOf } from '../../fuzz/src/index.ts'
import { fuzzCases } from '../../fuzz/src/cases.ts'
const services = Layer.merge(nodeServices({ policies: [jigsaw, laas, ta] as any }), fileSystem)
const files = await Effect.runPromise(Effect.provide(Files, services))
const folder = mkdtempSync('/tmp/ff-fuzz-')
const t0 = performance.now()
let n = 0
const tester = { program: 'test@1', describe: (e: any) => String(e.stack ?? e) }
for (const one of fc.sample(fuzzCases(['jigsaw', 'laas', 'ta'].map((policy) => ({ policy, policyConfig: '{}' }))), { seed: Number(process.argv[2] ?? 1), numRuns: 3000 })) {
  if (performance.now() - t0 > 60_000) break
  if (one.outages.length === 0) continue
  const c = { ...one, options: { ...one.options, router: 'partition', unroutable: n % 2 ? 'kill' : 'run-on' } }
  const exit = await Effect.runPromiseExit(prepare(specOf(c as any, folder, files)).pipe(Effect.provide(services)))
  if (Exit.isFailure(exit)) continue
  n++
  const { fault } = checkRun(exit.value, tester)
  if (fault) { console.log(JSON.stringify(fault), JSON.stringify(c).slice(0, 3000)); break }
}
console.log(n)
