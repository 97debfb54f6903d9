import type { Request, StateView } from '@cloister/placement'
import { baseline } from '@cloister/policy-baseline'
import { expect, test } from 'vitest'
import { numbered, type RunOptions, run } from './random-runs.ts'

/**
 * Returns the requests to Baseline, with the state of leaf 0, in a run on 16 nodes: [submit, size, run time] in
 * seconds.
 */
function asked(
  queue: RunOptions['queue'],
  jobs: ReadonlyArray<readonly [number, number, number]>,
): ReadonlyArray<string> {
  const lines: Array<string> = []
  const note = (state: StateView, { purpose, job, decidedAt, startsAt }: Request): void => {
    const when = startsAt === undefined ? '' : ` at ${startsAt}, decided at ${decidedAt}`
    lines.push(
      `${purpose} ${job}${when}: ${state.freeNodesOnLeaf(0)} free, ${state.freeNodesAtDecision(0)} at the decision, last end ${state.lastEndOnLeaf(0)}`,
    )
  }
  run({
    topology: 'radix:4',
    policy: {
      ...baseline,
      make: (topology, config) => {
        const placer = baseline.make(topology, config)
        if ('unsupported' in placer) return placer
        return {
          claims: placer.claims,
          place: (state, request, index) => {
            note(state, request)
            return placer.place(state, request, index)
          },
        }
      },
    },
    config: {},
    queue,
    estimates: 'exact',
    overrun: 'run-on',
    refusals: false,
    jobs: numbered(
      jobs.map(([submit, size, runTime]) => ({
        submit: submit * 1000,
        size,
        runTime: runTime * 1000,
        walltime: undefined,
      })),
    ),
  })
  return lines
}

test.each([
  ['easy', { backfill: 'easy', window: 5 }],
  ['movable easy', { backfill: 'easy', window: 5, reservation: 'movable' }],
  ['conservative', { backfill: 'conservative', window: 5 }],
  ['movable conservative', { backfill: 'conservative', window: 5, reservation: 'movable' }],
] as const)(
  'under %s backfilling, a request for a reservation names its start, and its state shows the nodes that are free before the start',
  (_, queue) => {
    const lines = asked(queue, [
      [1, 16, 10],
      [2, 9, 5],
    ])
    expect(lines).toContain('reserve 2 at 11000, decided at 2000: 2 free, 0 at the decision, last end 11000')
    expect(lines).toContain('start 2: 2 free, 2 at the decision, last end 0')
  },
)
