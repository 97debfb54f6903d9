import { describeNearest, type LogState } from '@cloister/eventlog'
import type { RunTimes } from '@cloister/kernel'
import { largestFit, relief, room, unplaced, type WaitReason, type WhyWaiting, whyWaiting } from '@cloister/replay'
import type { BoundPolicy } from '@cloister/placement'
import type { PolicyQuestions, WhyLine } from '@cloister/viewer'

/** Most waiting jobs for one question, because the policy searches for each job. */
const ASKED = 60

/** Returns functions to ask a policy in a state of the log. */
export function policyQuestions(
  { placer }: BoundPolicy<unknown, unknown>,
  runTimes: RunTimes | undefined,
): PolicyQuestions {
  return {
    why: (state: LogState) => whyWaiting(state, placer, ASKED, runTimes).map(lineOf),
    largestFit: (state: LogState) => largestFit(state, placer),
    room: (state: LogState) => room(state, placer),
    relief: (state: LogState) => relief(state, placer, runTimes),
    unplaced: (state: LogState) => unplaced(state, placer, runTimes),
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
      return { why: 'nothing keeps it: the next scheduling pass starts it', nearest: null }
    case 'not-tried':
      return { why: 'is not tried', nearest: null }
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
          return { why: `can never run here: ${refusal.constraint}`, nearest: null }
        case 'no-placement':
          return {
            why: refusal.constraint,
            nearest: refusal.nearest === undefined ? null : describeNearest(refusal.nearest),
          }
      }
    }
  }
}
