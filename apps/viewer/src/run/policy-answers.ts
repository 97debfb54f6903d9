import type { LogState } from '@cloister/eventlog'
import type { Relief, Room, Unplaced } from '@cloister/replay'
import type { PolicyQuestionName, Questions, WhyLine } from './questions.ts'

/** Questions to the policy in a state of the log. */
export interface PolicyQuestions {
  readonly why: (state: LogState) => ReadonlyArray<WhyLine>
  readonly largestFit: (state: LogState) => number
  readonly room: (state: LogState) => Room
  readonly relief: (state: LogState) => Relief | undefined
  readonly unplaced: (state: LogState) => Unplaced | undefined
}

/** Returns the policy's answer in a state, in the form of the page. */
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
