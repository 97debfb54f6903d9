// The worker that checks the code of an exercise, in the sandbox: first the exercise's own conditions, then the
// conformance suite of `cloister policy test`.
import './node-in-browser.ts'
import { type PlacementPolicy } from '@cloister/placement'
import { policyChecks, runChecks } from '@cloister/placement/checks'
import type { Topology } from '@cloister/topology'
import { conditionsOf } from './exercise-checks.ts'
import { policyOf, problemOf } from './own-policy.ts'
import type { Answer, Checked, Question } from './setup.ts'

onmessage = async ({ data }: MessageEvent<Question>) => {
  postMessage(await answer(data).catch((error: unknown): Answer => ({ kind: 'problem', problem: problemOf(error) })))
}

async function answer(question: Question): Promise<Answer> {
  if (question.kind !== 'check') throw new Error('the worker of the checks only checks')
  const { policy } = await policyOf(question.code)
  const own = conditionsOf(question.exercise).map((condition) => ({ ...condition, run: () => condition.run(policy) }))
  return { kind: 'checked', checks: [...own.map(checkedCondition), ...suite(policy)] }
}

function checkedCondition({ name, run }: { readonly name: string; readonly run: () => void }): Checked {
  try {
    run()
    return { name, outcome: 'ok', message: '' }
  } catch (error) {
    return { name, outcome: 'failed', message: messageOf(error) }
  }
}

/** Largest machine of the suite in the page, in nodes. `cloister policy test` also checks larger machines. */
const MOST_NODES = 160

/** A page cannot see the memory of the engine. */
const ofMemory = 'calls of place leave no memory in use'

function suite(policy: PlacementPolicy<any, any>): ReadonlyArray<Checked> {
  const make = (topology: Topology, config: unknown): ReturnType<typeof policy.make> =>
    topology.pgft === undefined || topology.nodes > MOST_NODES
      ? { unsupported: 'the page checks regular trees of at most 160 nodes' }
      : policy.make(topology, config)
  const small = Object.create(policy, { make: { value: make } }) as PlacementPolicy<any, any>
  const checks = policyChecks(small, { histories: 2 }).filter(({ name }) => name !== ofMemory)
  return Array.from(runChecks(checks), (result) => ({
    name: result.name,
    outcome: result.outcome === 'not-reached' ? 'not-run' : result.outcome === 'not-claimed' ? 'ok' : result.outcome,
    message: result.outcome === 'failed' ? messageOf(result.error) : '',
  }))
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
