import type { LogState } from '@cloister/eventlog'
import type { FittingSizes, FragmentedNodes, Relief } from '@cloister/replay'
import type { PolicyQuestionName, Questions, WhyLine } from './questions.ts'

/** Functions that ask a run's policy about a state of the run's log. */
export interface PolicyQuestions {
  readonly why: (state: LogState) => ReadonlyArray<WhyLine>
  readonly largestFit: (state: LogState) => number
  readonly fits: (state: LogState) => FittingSizes
  readonly relief: (state: LogState) => Relief | undefined
  readonly fragmented: (state: LogState) => FragmentedNodes | undefined
}

/** Answers the page's question `name` by asking a run's policy about a state of the run's log. */
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
    case 'fits':
      return { fits: policy.fits(state) }
    case 'relief':
      return { relief: policy.relief(state) ?? null }
    case 'fragmented':
      return { fragmented: policy.fragmented(state) ?? null }
  }
}
