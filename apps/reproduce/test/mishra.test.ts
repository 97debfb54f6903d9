import type { GivenSpec } from '@cloister/run'
import { Effect } from 'effect'
import { expect, it } from 'vitest'
import { Records, reproductions, Runs, StoredOutputs, Traces } from '../src/index.ts'
import * as paper from '../src/mishra/paper.ts'
import { patternOf, policyOf } from '../src/mishra/runs.ts'
import { stored } from './experiment-pages.ts'

it('mishra-readings has different runs for every reading, and run times of the log only under the default', async () => {
  const asked: Array<ReadonlyArray<GivenSpec>> = []
  const spy: Runs['Service'] = {
    run: (specs) => Effect.sync(() => (asked.push(specs), specs.map(() => undefined))),
    time: () => Effect.succeed(0),
  }
  const traces: Traces['Service'] = {
    locate: ({ name }) => Effect.succeed(name === 'Theta' ? { trace: 'theta.swf', filter: 'first-jobs=9' } : undefined),
    readText: () => Effect.succeed(undefined),
    jobs: () => Effect.succeed([]),
    write: () => Effect.succeed('jobs.txt'),
  }
  const { produce } = reproductions.find(({ name }) => name === 'mishra-readings')!
  await Effect.runPromise(
    produce.pipe(
      Effect.provideService(Traces, traces),
      Effect.provideService(Runs, spy),
      Effect.provideService(Records, { watch: () => Effect.void }),
      Effect.provideService(StoredOutputs, stored),
    ),
  )
  expect(asked).toHaveLength(13)
  expect(new Set(asked.map((specs) => JSON.stringify(specs))).size).toBe(asked.length)
  for (const { policy, costsFrom } of asked.flat()) expect(costsFrom === undefined).toBe(policy === 'slurm-tree')
  expect(asked[0][3]).toMatchObject({
    filter: 'size=requested/2,first-jobs=9',
    queue: 'unreserved:100',
    communication: '90%:recursive-halving-vector-doubling:50%',
    cost: 'sized',
    costsFrom: 'two-runs',
  })
})

it('policyOf gives adaptive the choices, the pattern and the costs of the reading', () => {
  const reading = paper.readingOf(paper.logs[0])
  expect(policyOf('Adaptive', paper.sets[3], reading)).toEqual({
    policy: 'adaptive',
    config: { ties: 'communicating', ranks: 'leaves', pattern: 'binomial-tree*15+binomial-doubling*35', cost: 'sized' },
  })
  expect(patternOf(paper.alone('RD'), { pairs: 'text' })).toBe('recursive-doubling')
})
