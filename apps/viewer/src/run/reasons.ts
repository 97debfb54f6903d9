import { describeNearest, type LogRecord, type LogState } from '@cloister/eventlog'
import type { FittingSizes, FragmentedNodes, Relief } from '@cloister/replay'
import { freeInWords, nodesInWords } from '../words.ts'
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

/** Greatest number of waiting jobs that get a reason. */
const REASONS_LIMIT = 60

/** Returns reasons of the first 60 waiting jobs, from the last `refuse` records. `known`: the log has reasons. */
export function reasonsInLog(
  state: LogState,
  lastRefusal: (job: string) => LogRecord | undefined,
): { readonly lines: ReadonlyArray<WhyLine>; readonly known: boolean } {
  const known = state.header.options.refusals === true
  const free = state.freeNodes.size
  const lines = [...state.waiting.values()].slice(0, REASONS_LIMIT).map(({ job, size }, rank): WhyLine => {
    const line = { job, size, place: rank === 0 ? 'head' : 'window', nearest: null } as const
    if (!known) return { ...line, why: size > free ? `needs ${nodesInWords(size)}, ${freeInWords(free)}` : 'not known' }
    const refusal = lastRefusal(job)
    if (refusal?.type !== 'refuse') return { ...line, place: rank === 0 ? 'head' : 'outside', why: 'behind the window' }
    const why = refusal.code === 'too-few-nodes' ? 'too few free nodes' : refusal.constraint
    return {
      ...line,
      why: refusal.t === state.t ? why : `${why} (at ${refusal.t} s)`,
      nearest: refusal.nearest === undefined ? null : describeNearest(refusal.nearest),
    }
  })
  return { lines, known }
}
