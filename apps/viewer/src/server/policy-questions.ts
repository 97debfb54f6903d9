import { describeNearest, type Header, headerTopology, type LogState } from '@cloister/eventlog'
import { loggedOrder, type RunTimes } from '@cloister/kernel'
import type { BoundPolicy } from '@cloister/placement'
import {
  fittingSizes,
  fragmentedNodes,
  largestFit,
  relief,
  type WaitReason,
  type WhyWaiting,
  whyWaiting,
} from '@cloister/replay'
import { attempt, bind, blamePolicy, type FoundPolicy, Policies, runTimesOf } from '@cloister/run'
import { Effect } from 'effect'
import type { WhyLine } from '../run/questions.ts'
import type { PolicyQuestions } from '../run/reasons.ts'

/** Returns functions that ask a log's policy, or undefined if the policy is missing or does not serve the machine. */
export const policyOfLog = (
  header: Header,
  given: FoundPolicy | undefined,
): Effect.Effect<PolicyQuestions | undefined, never, Policies> =>
  Effect.gen(function* () {
    const found = given?.policy.name === header.policy.name ? given : yield* (yield* Policies).find(header.policy.name)
    const topology = headerTopology(header)
    const bound = yield* bind(found, topology, header.policy.config)
    // No answer is right without the queue order of the log.
    yield* attempt(() => loggedOrder(header, topology))
    const asked = policyQuestions(bound, yield* runTimesOf(header.options, topology))
    const blaming =
      <Answer>(ask: (state: LogState) => Answer) =>
      (state: LogState): Answer =>
        blamePolicy(found, 'place', () => ask(state))
    return {
      why: blaming(asked.why),
      largestFit: blaming(asked.largestFit),
      fits: blaming(asked.fits),
      relief: blaming(asked.relief),
      fragmented: blaming(asked.fragmented),
    }
  }).pipe(Effect.catch(() => Effect.succeed(undefined)))

/** Largest number of waiting jobs in one answer why jobs wait, because the policy searches for each job. */
const ASKED = 60

/** Returns functions that ask a policy about a state of a log. */
export function policyQuestions(
  { placer }: BoundPolicy<unknown, unknown>,
  runTimes: RunTimes | undefined,
): PolicyQuestions {
  return {
    why: (state: LogState) => whyWaiting(state, placer, ASKED, runTimes).map(lineOf),
    largestFit: (state: LogState) => largestFit(state, placer).nodes,
    fits: (state: LogState) => fittingSizes(state, placer),
    relief: (state: LogState) => relief(state, placer),
    fragmented: (state: LogState) => fragmentedNodes(state, placer, runTimes),
  }
}

function lineOf({ submit: { job, size }, place, reason }: WhyWaiting): WhyLine {
  return { job, size, place, ...describeReason(reason) }
}

function tooFewNodes(free: number): string {
  if (free === 0) return 'no node is free'
  return free === 1 ? 'only 1 node is free' : `only ${free} nodes are free`
}

function describeReason(reason: WaitReason): Pick<WhyLine, 'why' | 'nearest'> {
  switch (reason.kind) {
    case 'fits':
      return { why: 'can start: the next scheduling pass starts the job', nearest: null }
    case 'not-tried':
      return { why: 'is outside of the window', nearest: null }
    case 'early':
      return { why: 'waits for its turn: a job of an earlier turn is not yet submitted', nearest: null }
    case 'would-delay':
      return { why: `fits now, but would delay job ${reason.job}, which has a reservation`, nearest: null }
    case 'refused': {
      const { refusal } = reason
      switch (refusal.code) {
        case 'too-few-nodes':
          return { why: tooFewNodes(refusal.free), nearest: null }
        case 'search-bound':
          return { why: `the policy gave up the search after ${refusal.steps} steps`, nearest: null }
        case 'never':
          return { why: `can never run on this machine: ${refusal.constraint}`, nearest: null }
        case 'no-placement':
          return {
            why: refusal.constraint,
            nearest: refusal.nearest === undefined ? null : describeNearest(refusal.nearest),
          }
      }
    }
  }
}
