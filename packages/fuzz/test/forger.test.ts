import { baseline } from '@cloister/policy-baseline'
import { fileSystem, nodeServices } from '@cloister/run/node'
import { Effect, Layer } from 'effect'
import { expect, test } from 'vitest'
import { forgeLogs } from '../src/index.ts'

const services = Layer.merge(nodeServices({ policies: [baseline] }), fileSystem)

test('forgeLogs changes every field of every type of record, and audit --rerun accepts only changes that no log shows', async () => {
  const outcome = await Effect.runPromise(
    forgeLogs({
      subjects: [{ policy: 'baseline', policyConfig: '{}' }],
      seed: 4,
      runs: 2,
      milliseconds: Infinity,
      tester: { program: 'test@1', describe: String },
      onProgress: () => {},
    }).pipe(Effect.provide(services)),
  )
  expect(outcome.logs).toBe(2)
  expect(outcome.unchanged).toEqual([])
  expect(outcome.accepted.filter(({ isKnown }) => !isKnown).map(({ change }) => change)).toEqual([])
  const { mutants, unwritable, byAudit, byRerun, harmless, acceptedLies } = outcome
  expect(unwritable + byAudit + byRerun + harmless + acceptedLies).toBe(mutants)
  expect(byAudit).toBeGreaterThan(mutants / 3)
  // The jobs of the run find changed submits and changed ends of jobs, which agree with all other records.
  expect(byRerun).toBeGreaterThan(0)
})
