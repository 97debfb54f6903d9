import { type LogRecord, LogState } from '@cloister/eventlog'
import { PolicyFaultError, simulate } from '@cloister/kernel'
import { type Outcome, outcomeDefect, type Placer, type Request, type StateView } from '@cloister/placement'
import { parseIdset } from '@cloister/topology'
import { ComparingRecorder, ComparisonEnd } from './comparing-recorder.ts'
import type { KnownReasons } from './wait-history.ts'
import { LargestOffer, type Offer } from './largest-offer.ts'
import { recordedInputs, type RecordedInputs, type Rerun } from './recorded-inputs.ts'
import { checkSimulated, recordedDurations, repetitionOf, rerun, type RerunResult } from './rerun.ts'

/** Request to a policy in the course of a rerun, with a function that asks the policy. */
export interface Question {
  readonly request: Request
  /**
   * State that the policy sees: the present state, the expected state at a later time, or a state without the nodes and
   * links of a reservation.
   */
  readonly state: StateView
  /** Calls the policy. @throws any error of the policy */
  readonly ask: () => Outcome
}

/** Point at which `askAgain` halted the rerun of a log. */
export interface Halt<Answer> {
  readonly record: LogRecord
  /** State of queue and cluster before `record`. */
  readonly before: LogState
  readonly request: Request
  readonly answer: Answer
}

/**
 * Configuration of a rerun that `askAgain` or `rerunWithReasons` simulates twice; `bind` is called for each simulation.
 */
export interface RepeatedRerun<Index> extends Omit<Rerun<Index>, 'placer' | 'routing'> {
  readonly bind: () => Pick<Rerun<Index>, 'placer' | 'routing'>
}

/**
 * Runs the policy of a log again on the recorded inputs, and halts at the question that led to the record `seq`. For a
 * start or a reservation, this is the last question whose answer has the record's nodes; for any other record, the last
 * question about the record's job; without such a question, the last question. The run is simulated twice, because the
 * number of the question is known only at the record.
 *
 * @param seq number of the record; if a rerun writes no such record, as for a seal, the next record counts
 * @param asking receives the question in the run's own state, and may ask the policy
 * @returns undefined if the rerun differs from the log before the record, if the log ends before the record, or if the
 *   policy was not asked before the record
 * @throws FoldError if the records are out of order
 * @throws NotSimulatedError if the log is not a whole simulation
 */
export function askAgain<Index, Answer>(
  run: RepeatedRerun<Index>,
  seq: number,
  asking: (question: Question) => Answer,
): Halt<Answer> | undefined {
  const inputs = recordedInputs(run.records())
  checkSimulated(inputs.header)
  const asked = new AskedQuestions()
  const record = repeatUntil(run, inputs, seq, (request, ask) => {
    const at = asked.add(request)
    const outcome = ask()
    if (outcome.ok === true) asked.grant(at, outcome.nodes)
    return outcome
  })
  if (record === undefined) return undefined
  let left = asked.questionOf(record)
  let halt: Halt<Answer> | undefined
  // A debugger may halt the policy for any time, so no time limit applies.
  const { stopAfter: _, ...unlimited } = run
  repeatUntil(unlimited, inputs, seq, (request, ask, state) => {
    if (left-- > 0) return ask()
    halt ??= { record, before: stateBefore(run, record.seq), request, answer: asking({ request, state, ask }) }
    throw new ComparisonEnd()
  })
  return halt
}

class AskedQuestions {
  readonly #jobs: Array<string> = []
  readonly #granted = new Map<string, Array<GivenPlacement>>()

  add({ job }: Request): number {
    return this.#jobs.push(job) - 1
  }

  grant(at: number, nodes: ArrayLike<number>): void {
    const job = this.#jobs[at]
    const answers = this.#granted.get(job)
    if (answers === undefined) this.#granted.set(job, [{ at, nodes }])
    else answers.push({ at, nodes })
  }

  questionOf(record: LogRecord): number {
    const last = this.#jobs.length - 1
    if (record.type === 'fault' || !('job' in record)) return last
    const ofJob = this.#jobs.lastIndexOf(record.job)
    if (record.type !== 'allocate' && record.type !== 'reserve') return ofJob < 0 ? last : ofJob
    // A job may start on its reserved nodes, even if the policy's last answer has different nodes.
    const placed = parseIdset(record.nodes)
    const given = this.#granted.get(record.job)?.findLast(({ nodes }) => areSameNodes(nodes, placed))
    return given?.at ?? (ofJob < 0 ? last : ofJob)
  }
}

interface GivenPlacement {
  readonly at: number
  readonly nodes: ArrayLike<number>
}

function areSameNodes(a: ArrayLike<number>, b: Int32Array): boolean {
  return a.length === b.length && b.every((node, at) => node === a[at])
}

/** Returns the first record from `seq` on that the rerun compares; undefined if the rerun ends before this record. */
function repeatUntil<Index>(
  run: RepeatedRerun<Index>,
  inputs: RecordedInputs,
  seq: number,
  onQuestion: OnQuestion,
): LogRecord | undefined {
  const comparison = new ComparingRecorder(run.records(), inputs.header.options.refusals === true, seq)
  const { placer, routing } = run.bind()
  const listened = withPlace(placer, (state, request, own) =>
    onQuestion(request, () => placer.place(state, request, own), state),
  )
  const listening = { ...run, placer: listened, ...(routing && { routing }) }
  try {
    simulate(repetitionOf(listening, inputs, comparison, []), recordedDurations(inputs, run.runTimes))
  } catch (error) {
    if (!(error instanceof ComparisonEnd || error instanceof PolicyFaultError)) throw error
  }
  return comparison.reached
}

type OnQuestion = (request: Request, ask: () => Outcome, state: StateView) => Outcome

function stateBefore({ records }: Pick<Rerun<unknown>, 'records'>, seq: number): LogState {
  let before: LogState | undefined
  for (const record of records()) {
    if (record.seq === seq) break
    if (record.type === 'header') before = new LogState(record)
    else before!.apply(record)
  }
  return before!
}

/** Result of a rerun, with the reasons for the waits of one job. */
export interface RerunWithReasons extends RerunResult {
  /** Reasons for `explain`. The reasons are known up to the record `reasons.compared`; Infinity means all reasons. */
  readonly reasons: KnownReasons
  /** Largest job that the policy would have placed at a refusal of the job; undefined without a refusal. */
  readonly largestOffer: Offer | undefined
}

/**
 * Runs the policy of a log again, and collects the reasons why a job waits and the largest offer for the job. The policy
 * gets additional questions about the job, but `difference` and `fault` are equal to the result of `rerun`.
 *
 * @throws FoldError if the records are out of order
 * @throws NotSimulatedError if the log is neither a whole simulation nor a whole driven log
 * @throws TooManyQuestionsError if the policy is asked more than `mostQuestions`
 */
export function rerunWithReasons<Index>({ bind, ...run }: RepeatedRerun<Index>, job: string): RerunWithReasons {
  const { placer, ...bound } = bind()
  const offers = new LargestOffer(job)
  const safe = refusingAtFaults(placer, job)
  const asked = withPlace(safe, (state, request, index) => {
    const outcome = safe.place(state, request, index)
    offers.answered(request, outcome, (other) => safe.place(state, other, index))
    return outcome
  })
  const watched = rerun({ ...run, ...bound, placer: asked, watch: job })
  const { difference, inputs, refusals } = watched
  const { largest: largestOffer } = offers
  if (difference === undefined) return { ...watched, largestOffer, reasons: { inputs, refusals, compared: Infinity } }
  // The additional questions can change the decisions of a policy that fails at a question or counts its questions.
  const plain = rerun({ ...run, ...bind() })
  const isWhole = plain.difference === undefined && difference.recorded.type === 'fault'
  return { ...plain, largestOffer, reasons: { inputs, refusals, compared: isWhole ? Infinity : watched.compared } }
}

/** Refuses the job if the policy fails: only an additional question can fail before the log's last record. */
function refusingAtFaults<Index>(placer: Placer<Index>, job: string): Placer<Index> {
  return withPlace(placer, (state, request, index) => {
    if (request.job !== job) return placer.place(state, request, index)
    try {
      const outcome = placer.place(state, request, index)
      if (outcomeDefect(outcome) === undefined) return outcome
      // A policy may return a promise. If nobody handled its rejection, the program would end.
      if (outcome instanceof Promise) outcome.catch(() => {})
    } catch {}
    return { ok: false, code: 'no-placement', constraint: 'the policy fails at this request' }
  })
}

/** Returns a copy of a placer with the given `place`. The placer may be an instance of a class. */
function withPlace<Index>(placer: Placer<Index>, place: Placer<Index>['place']): Placer<Index> {
  const { claims, linkCapacity, index, placesByKey } = placer
  return {
    claims,
    ...(linkCapacity !== undefined && { linkCapacity }),
    ...(index !== undefined && { index }),
    ...(placesByKey !== undefined && { placesByKey }),
    ...(placer.requestKey !== undefined && { requestKey: (request) => placer.requestKey!(request) }),
    ...(placer.mostNodes !== undefined && { mostNodes: (state, own) => placer.mostNodes!(state, own) }),
    ...(placer.mostNodesBeside !== undefined && { mostNodesBeside: (...bound) => placer.mostNodesBeside!(...bound) }),
    place,
  }
}
