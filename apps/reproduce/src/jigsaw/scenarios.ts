import { Effect } from 'effect'
import { plan, runAll } from '../experiment/outcomes.ts'
import { type PaperTrace, locateAll } from '../experiment/traces.ts'
import * as paper from './paper.ts'

export const isolating = paper.schemes.filter(({ name }) => name !== 'Baseline')
const baseline = paper.schemes.filter(({ name }) => name === 'Baseline')

/** Runs every scheme except Baseline in every speed-up scenario of the Jigsaw paper, and Baseline without speed-up. */
export const runScenarios = Effect.fnUntraced(function* (traces: ReadonlyArray<PaperTrace>) {
  const located = yield* locateAll(traces)
  const planned = located
    .map((trace) => ({ ...trace, queue: paper.queue }))
    .flatMap((trace) => [
      ...baseline.map((scheme) => plan(trace, scheme)),
      ...isolating.flatMap((scheme) => paper.scenarios.map((scenario) => plan(trace, scheme, scenario))),
    ])
  return { outcomes: yield* runAll(planned), names: located.map(({ name }) => name) }
})
