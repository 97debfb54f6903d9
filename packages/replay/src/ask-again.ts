import { type LogRecord, LogState } from '@cloister/eventlog'
import { PolicyFaultError, simulate } from '@cloister/kernel'
import type { Outcome, Request, StateView } from '@cloister/placement'
import { parseIdset } from '@cloister/topology'
import { ComparingRecorder, ComparisonEnd } from './comparing-recorder.ts'
import { recordedDurations } from './recorded-durations.ts'
import { recordedInputs, type RecordedInputs } from './recorded-inputs.ts'
import type { Rerun } from './rerun-request.ts'
import { checkSimulated, repetitionOf } from './rerun.ts'
import { withPlace } from './same-placer.ts'

/** A question to a policy, as it was asked in the course of a run, and can be asked once more. */
export interface Question {
  readonly request: Request
  /** What the policy sees: a state of the cluster, or one that is expected later, or one with a reservation withheld. */
  readonly state: StateView
  /** Calls the policy. What it throws is thrown. */
  readonly ask: () => Outcome
}

/** Where a repetition was halted. */
export interface Halt<Answer> {
  /** The record before which it was halted. */
  readonly record: LogRecord
  /** Queue and cluster before that record. */
  readonly before: LogState
  readonly request: Request
  readonly answer: Answer
}

/** A run that is told twice, with a placer and tables of its own each time: they remember what they were asked. */
export interface RepeatedRerun<Index> extends Omit<Rerun<Index>, 'placer' | 'routing'> {
  readonly bind: () => Pick<Rerun<Index>, 'placer' | 'routing'>
}

/**
 * Runs the policy of a log again on its recorded inputs and halts at the question from which the record `seq` came, or the
 * first decision after it: the last one about the record's job, for a placement the one that gave it; for a `fault` the
 * question at which the policy failed. The run is told twice, for which question that is shows afterwards only.
 *
 * @param asking gets the question in the run's own state, and may put it
 * @returns undefined where the repetition differs from the log before that, the log ends before, or nothing was asked yet
 * @throws FoldError where the records are out of order
 * @throws NotSimulatedError where the decisions are not the policy's
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
  // A debugger may halt it for as long as it likes.
  const { stopAfter: _, ...unlimited } = run
  repeatUntil(unlimited, inputs, seq, (request, ask, state) => {
    if (left-- > 0) return ask()
    halt ??= { record, before: stateBefore(run, record.seq), request, answer: asking({ request, state, ask }) }
    throw new ComparisonEnd()
  })
  return halt
}

/** The questions of a run, by their numbers. */
class AskedQuestions {
  readonly #jobs: Array<string> = []
  /** What each job was given, one answer after the other. */
  readonly #granted = new Map<string, Array<Granted>>()

  /** @returns its number */
  add({ job }: Request): number {
    return this.#jobs.push(job) - 1
  }

  grant(at: number, nodes: ArrayLike<number>): void {
    const job = this.#jobs[at]
    const answers = this.#granted.get(job)
    if (answers === undefined) this.#granted.set(job, [{ at, nodes }])
    else answers.push({ at, nodes })
  }

  /** The number of the question that a record came from, -1 for none. */
  questionOf(record: LogRecord): number {
    const last = this.#jobs.length - 1
    if (record.type === 'fault' || !('job' in record)) return last
    const ofJob = this.#jobs.lastIndexOf(record.job)
    if (record.type !== 'allocate' && record.type !== 'reserve') return ofJob < 0 ? last : ofJob
    // A job may start on what was reserved for it earlier, whatever the policy says of it now.
    const placed = parseIdset(record.nodes)
    const given = this.#granted.get(record.job)?.findLast(({ nodes }) => areSameNodes(nodes, placed))
    return given?.at ?? (ofJob < 0 ? last : ofJob)
  }
}

interface Granted {
  readonly at: number
  readonly nodes: ArrayLike<number>
}

function areSameNodes(a: ArrayLike<number>, b: Int32Array): boolean {
  return a.length === b.length && b.every((node, at) => node === a[at])
}

/** @returns the first decision from `seq` on, where the repetition comes so far */
function repeatUntil<Index>(
  run: RepeatedRerun<Index>,
  inputs: RecordedInputs,
  seq: number,
  onQuestion: OnQuestion,
): LogRecord | undefined {
  const comparison = new ComparingRecorder(run.records(), inputs.header.refusals, seq)
  const { placer, routing } = run.bind()
  const listened = withPlace(placer, (state, request, own) =>
    onQuestion(request, () => placer.place(state, request, own), state),
  )
  const told = { ...run, placer: listened, ...(routing && { routing }) }
  try {
    simulate(repetitionOf(told, inputs, comparison, []), recordedDurations(inputs, run.runTimes))
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
