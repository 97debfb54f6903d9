import { type Header, LogState } from '@cloister/eventlog'
import { run, runs } from '@cloister/kernel/random-runs'
import { bindPolicy } from '@cloister/placement'
import { parseTopology } from '@cloister/topology'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { fragmentedNodes, RecordedCluster, whyWaiting } from '../src/index.ts'

it('fragmentedNodes derives the cause from whyWaiting for the first job that requests at most as many nodes as are idle', () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(runs, (options) => {
      const { topology, policy, config, runTimes } = options
      const { placer } = bindPolicy(policy, parseTopology(topology), config)
      const { records } = run(options)
      const state = new LogState(records[0] as Header)
      let at = 0
      for (const record of records.slice(1)) {
        // Only the state before every fifth record is tested, to save questions to the policy.
        if (at++ % 5 === 0 && runTimes === undefined) {
          const found = fragmentedNodes(state, placer)
          const few = [...state.waiting.values()].every(({ size }) => size > state.freeNodes.size)
          expect(found === undefined).toBe(few)
          if (found !== undefined) {
            seen.add(found.cause)
            const why = whyWaiting(state, placer, 1000).find(({ submit }) => submit.job === found.job)!
            const kinds = {
              fits: ['none'],
              'not-tried': ['order'],
              early: ['order'],
              'would-delay': ['reservation'],
              refused: ['shape', 'links', 'search'],
            }
            expect(kinds[why.reason.kind]).toContain(found.cause)
            if (found.cause === 'shape')
              expect(RecordedCluster.withFreeLinks(state, placer).ask(found.job, 'start').ok).toBe(false)
          }
        }
        state.apply(record)
      }
    }),
    { numRuns: 40 },
  )
  expect(seen.size).toBeGreaterThan(1)
})
