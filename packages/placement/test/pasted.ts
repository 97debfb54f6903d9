import { Script } from 'node:vm'
import { parseIdset, parseTopology, switchGraph } from '@cloister/topology'
import { expect } from 'vitest'
import { bindPolicy, outcomeDefect } from '../src/bind.ts'
import {
  ask,
  bandwidthDefect,
  canRoute,
  freePlacementDefect,
  isConnected,
  readsOf,
  replacedFunction,
  request,
  stateOf,
} from '../src/checks.ts'
import type { PlacementPolicy } from '../src/contract.ts'

/** Runs the test that a failed check prints, as if pasted into a test file of the policy's package. */
export function runPasted(message: string, policy: PlacementPolicy<any, any>): void {
  const code = message.slice(message.indexOf('test("'))
  const known = {
    ask,
    bandwidthDefect,
    bindPolicy,
    canRoute,
    expect,
    freePlacementDefect,
    isConnected,
    outcomeDefect,
    parseIdset,
    parseTopology,
    policy,
    readsOf,
    replacedFunction,
    request,
    stateOf,
    switchGraph,
    test: (_: string, run: () => void) => run(),
  }
  const run = new Script(`(${Object.keys(known).join()}) => {${code}}`).runInThisContext()
  run(...Object.values(known))
}
