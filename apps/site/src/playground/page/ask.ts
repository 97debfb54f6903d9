// Asks workers to simulate and to examine. A user's code runs in the sandbox, all other code in workers of the page.
import type { FaultState } from '../fault-state.ts'
import type { Answer, AskedRun, Checked, Examined, Problem, Question, Simulated } from '../setup.ts'

/** Error of a question that failed; `problem` has the message, and the place in a user's code if the place is known. */
export class ProblemError extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.message)
    this.problem = problem
  }
}

interface Asked {
  readonly answer: Promise<Answer>
  /** Frees the worker or removes the sandbox. @param isAnswered false if the worker works and must be stopped */
  readonly end: (isAnswered: boolean) => void
}

/** Workers without a question. A question to such a worker need not load the script again. */
const idle: Array<Worker> = []

let isWarm = false

/** Starts a worker for each of the two runs at its first call, so that the script is loaded before the first question. */
export function warmUp(): void {
  while (!isWarm && idle.length < 2) idle.push(newWorker())
  isWarm = true
}

const newWorker = (): Worker => new Worker('./worker.js')

/** Simulates a run in a worker; a user's code runs in the sandbox. @param stop signal that ends the run */
export async function askToSimulate(
  question: Extract<Question, { kind: 'simulate' }>,
  stop: AbortSignal,
): Promise<Simulated> {
  const isOwn = question.code !== undefined
  const answer = await ended(isOwn ? inSandbox(question, './worker.js') : inWorker(question), stop)
  return answer.kind === 'simulated' ? answer.simulated : other()
}

/** Audits and measures a log in a worker. @param asked requested run; undefined for a built-in policy */
export async function askToExamine(log: Uint8Array, asked: AskedRun | undefined, stop: AbortSignal): Promise<Examined> {
  const answer = await ended(inWorker({ kind: 'examine', log, asked }), stop)
  return answer.kind === 'examined' ? answer.examined : other()
}

/** Checks a user's code by the checks of an exercise, in the sandbox. */
export async function askToCheck(code: string, exercise: string, stop: AbortSignal): Promise<ReadonlyArray<Checked>> {
  const answer = await ended(inSandbox({ kind: 'check', code, exercise }, './checks.js'), stop)
  return answer.kind === 'checked' ? answer.checks : other()
}

function other(): never {
  throw new ProblemError({ ...none, message: 'the worker gave an answer to a different question' })
}

const none = { line: undefined, column: undefined }

async function ended({ answer, end }: Asked, stop: AbortSignal): Promise<Answer> {
  const stopped = new Promise<never>((_, reject) => {
    const fail = (): void => reject(new ProblemError({ ...none, message: 'stopped' }))
    // A signal that is already aborted sends no event.
    if (stop.aborted) fail()
    else stop.addEventListener('abort', fail)
  })
  const given = await Promise.race([answer, stopped]).catch((error: unknown) => {
    end(false)
    throw error
  })
  end(true)
  if (given.kind === 'problem') throw new ProblemError(given.problem)
  return given
}

function inWorker(question: Question): Asked {
  const worker = idle.pop() ?? newWorker()
  const answer = new Promise<Answer>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Answer>) => resolve(data)
    worker.onerror = ({ message }) => reject(new ProblemError({ ...none, message: message || 'the worker failed' }))
  })
  worker.postMessage(question)
  const end = (isAnswered: boolean): void => {
    if (isAnswered) idle.push(worker)
    else worker.terminate()
  }
  return { answer, end }
}

/** Runs the code of a policy in a frame without origin. The frame's content security policy allows no requests. */
function inSandbox(question: Question, worker: string): Asked {
  const frame = document.createElement('iframe')
  frame.sandbox.add('allow-scripts')
  frame.hidden = true
  frame.title = 'sandbox'
  const { port1, port2 } = new MessageChannel()
  const answer = new Promise<Answer>((resolve) => {
    port1.onmessage = ({ data }: MessageEvent<unknown>) => resolve(answerOf(data))
  })
  const begin = async ({ source }: MessageEvent): Promise<void> => {
    if (source === null || source !== frame.contentWindow) return
    removeEventListener('message', begin)
    const script = await (await fetch(worker)).text()
    // A frame without origin has no address, so the message goes to `*`.
    frame.contentWindow?.postMessage({ script, question }, '*', [port2])
  }
  addEventListener('message', begin)
  frame.src = './sandbox.html'
  document.body.append(frame)
  const end = (): void => {
    removeEventListener('message', begin)
    port1.close()
    frame.remove()
  }
  return { answer, end }
}

/** Checks the answer of a user's code. The content of a log is not checked here, because the auditor reads the log. */
function answerOf(data: unknown): Answer {
  const { kind, simulated, checks, problem } = Object(data) as {
    readonly kind?: unknown
    readonly simulated?: Partial<Simulated>
    readonly checks?: unknown
    readonly problem?: Partial<Problem>
  }
  if (kind === 'simulated' && simulated?.log instanceof Uint8Array) {
    const { log, jobs, seconds, placeLine } = simulated
    return { kind, simulated: { log, jobs: Number(jobs), seconds: Number(seconds), placeLine: numberOf(placeLine) } }
  }
  if (kind === 'checked' && Array.isArray(checks)) return { kind, checks: checks.slice(0, 100).map(checkOf) }
  const message = textOf(problem?.message ?? 'the sandbox gave no valid answer')
  const fault = faultOf(problem?.fault)
  const place = { line: numberOf(problem?.line), column: numberOf(problem?.column) }
  return { kind: 'problem', problem: { message, ...place, ...(fault && { fault }) } }
}

function checkOf(data: unknown): Checked {
  const { name, outcome, message } = Object(data) as { readonly [Member in keyof Checked]?: unknown }
  const known = outcome === 'ok' || outcome === 'not-run' ? outcome : 'failed'
  return { name: textOf(name), outcome: known, message: textOf(message) }
}

function faultOf(data: unknown): FaultState | undefined {
  const { t, request, answer, given, leaves } = Object(data) as { readonly [Member in keyof FaultState]?: unknown }
  if (!Array.isArray(given) || !Array.isArray(leaves)) return undefined
  return {
    t: Number(t),
    request: textOf(request),
    answer: textOf(answer),
    given: given.slice(0, 4096).map(Number),
    leaves: leaves.slice(0, 4096).map((letters) => textOf(letters).slice(0, 512)),
  }
}

const textOf = (value: unknown): string => String(value).slice(0, 2000)

const numberOf = (value: unknown): number | undefined => (Number.isSafeInteger(value) ? (value as number) : undefined)
