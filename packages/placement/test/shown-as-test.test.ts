import { describe, expect, test } from 'vitest'
import { policyChecks, runChecks } from '../src/checks.ts'
import type { Outcome } from '../src/contract.ts'
import { canaries } from './canaries.ts'
import { runPasted } from './pasted.ts'
import { firstNodes, placing, type Policy } from './sample-policies.ts'

function complaint(policy: Policy): string {
  for (const result of runChecks(policyChecks(policy, { histories: 1 })))
    if (result.outcome === 'failed') return (result.error as Error).message
  throw new Error('nothing failed')
}

describe('the test that a failed check prints', () => {
  const shown = [
    'a placement names free nodes and links, ascending, each once',
    'a placement has exactly (exactSize) or at least as many nodes as requested',
    'links owned or capped: the links of a placement connect all its nodes',
    'a refusal has the fields of its code, with true values',
    'the index of a state, or of a fork with withheld resources, equals a rebuilt index',
    'monotone: a refused request is also refused when less is free',
    'monotone: requests with equal keys are refused together',
    'complete: a granted placement is found again if nothing else is free, also on equal subtrees',
  ].map((check) => ({ check, ...canaries[check][0] }))

  test.each(shown)('the printed test fails for the wrong policy with the mistake: $wrong', ({ policy }) => {
    const message = complaint(policy)
    expect(() => runPasted(message, policy)).toThrow()
  })

  test('the printed test passes for the repaired policy', () => {
    const wrong = firstNodes({
      place: placing((placement, _, __, { purpose, nodes }) =>
        purpose === 'backfill' ? { ...placement, nodes: [...Array(nodes).keys()] } : placement,
      ),
    })
    const message = complaint(wrong)
    expect(() => runPasted(message, wrong)).toThrow('of the placement is not free')
    runPasted(message, firstNodes())
  })

  test('the printed test is short', () => {
    const wrong = firstNodes({
      place: placing((placement, { nodes }, state) => {
        const last = nodes - 1
        return state.isNodeFree(last)
          ? placement
          : { ...placement, nodes: [...Array.from(placement.nodes).slice(1), last] }
      }),
    })
    expect(complaint(wrong)).toContain(`
  const topology = parseTopology('radix:4')
  const config = {}
  const { placer } = bindPolicy(policy, topology, config)
  const state = stateOf(placer, topology, {
    running: [
      { nodes: [15], links: [] },
    ],
  })
  const asked = request(1)
  const outcome = ask(placer, state, asked)
  expect(outcome.ok && freePlacementDefect(state, outcome)).toBeUndefined()
})`)
  })

  test('the printed test repeats earlier requests if the wrong answer depends on them', () => {
    const wrong = (): Policy =>
      firstNodes({
        policy: {
          make: (topology: any) => {
            let largest = 0
            const good = firstNodes().make(topology, {}) as { readonly place: (...args: Array<any>) => Outcome }
            return {
              ...good,
              place: (state: any, request: any, index: any): Outcome => {
                largest = Math.max(largest, request.nodes)
                const outcome = good.place(state, request, index)
                return outcome.ok && largest > 6 ? { ...outcome, nodes: [0, 0] } : outcome
              },
            }
          },
        },
      })
    const message = complaint(wrong())
    expect(
      message.match(/ask\(placer, stateOf\(placer, topology\), request\(\d+\)\)/g)?.length ?? 0,
    ).toBeLessThanOrEqual(1)
    expect(() => runPasted(message, wrong())).toThrow('ids must ascend')
  })
})
