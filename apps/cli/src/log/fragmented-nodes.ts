import { headerTopology, type LogState } from '@cloister/eventlog'
import { fragmentedNodes } from '@cloister/replay'
import { attempt, bind, blamePolicy } from '@cloister/run'
import { Effect, type Option } from 'effect'
import { findPolicyOfLog, runTimesOfLog } from './repetition.ts'

/** Returns the cause of the idle nodes in a state of a log; null if every waiting job requests more nodes. */
export const fragmentedNodesOf = Effect.fnUntraced(function* (state: LogState, policy: Option.Option<string>) {
  const { header } = state
  const found = yield* findPolicyOfLog(header, policy)
  const topology = headerTopology(header)
  const { placer } = yield* bind(found, topology, header.policy.config)
  const runTimes = yield* runTimesOfLog(header, topology)
  return yield* attempt(() => blamePolicy(found, 'place', () => fragmentedNodes(state, placer, runTimes) ?? null))
})
