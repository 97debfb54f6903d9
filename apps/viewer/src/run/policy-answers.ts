import type { LogState } from '@cloister/eventlog'
import type { Relief, Room, Unplaced } from '@cloister/replay'
import type { PolicyQuestionName, Questions, WhyLine } from './questions.ts'

/** Functions that ask a run's policy in a state of its log. */
export interface PolicyQuestions {
  readonly why: (state: LogState) => ReadonlyArray<WhyLine>
  readonly largestFit: (state: LogState) => number
  readonly room: (state: LogState) => Room
  readonly relief: (state: LogState) => Relief | undefined
  readonly unplaced: (state: LogState) => Unplaced | undefined
}

/** Asks a policy in a state of a log. Returns the answer to the question `name` of the page. */
export function policyAnswer(
  policy: PolicyQuestions,
  name: PolicyQuestionName,
  state: LogState,
): Questions[PolicyQuestionName]['answer'] {
  switch (name) {
    case 'why':
      return { lines: policy.why(state), largest: policy.largestFit(state), source: 'policy' }
    case 'largest':
      return { nodes: policy.largestFit(state) }
    case 'room':
      return { room: policy.room(state) }
    case 'relief':
      return { relief: policy.relief(state) ?? null }
    case 'unplaced':
      return { unplaced: policy.unplaced(state) ?? null }
  }
}
