// Questions to workers: of our code in a worker of the page, of somebody's code in one of the sandbox.
import type { Answer, AskedRun, Examined, Problem, Question, Simulated } from '../questions.ts'

/** What a worker could not do. */
export class ProblemError extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.message)
    this.problem = problem
  }
}

/** What was asked of one worker, or of one sandbox. */
interface Asked {
  readonly answer: Promise<Answer>
  /** @param isAnswered whether it answered, or is to be stopped */
  readonly end: (isAnswered: boolean) => void
}

/** Workers that have nothing to do; they know our script already. */
const idle: Array<Worker> = []

/** Starts the workers of two runs, which then wait for a question. */
export function warmUp(): void {
  while (idle.length < 2) idle.push(newWorker())
}

const newWorker = (): Worker => new Worker('./worker.js')

/** Simulates; code runs in the sandbox. @param stop ends it, whatever it does */
export async function askToSimulate(
  question: Extract<Question, { kind: 'simulate' }>,
  stop: AbortSignal,
): Promise<Simulated> {
  const answer = await ended(question.code === undefined ? inWorker(question) : inSandbox(question), stop)
  if (answer.kind !== 'simulated') throw new ProblemError({ ...none, message: 'the worker answered something else' })
  return answer.simulated
}

/** Audits and measures a log in a worker of the page. @param asked run that the log has to be of; undefined if the page itself made the log */
export async function askToExamine(log: Uint8Array, asked: AskedRun | undefined, stop: AbortSignal): Promise<Examined> {
  const answer = await ended(inWorker({ kind: 'examine', log, asked }), stop)
  if (answer.kind !== 'examined') throw new ProblemError({ ...none, message: 'the worker answered something else' })
  return answer.examined
}

const none = { line: undefined, column: undefined }

async function ended({ answer, end }: Asked, stop: AbortSignal): Promise<Answer> {
  const stopped = new Promise<never>((_, reject) => {
    const fail = (): void => reject(new ProblemError({ ...none, message: 'stopped' }))
    // It may have been stopped before there was anything to end: then nothing tells of it any more.
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

/** Code of a policy runs in a frame of no origin, whose rules let nothing out of it. */
function inSandbox(question: Question): Asked {
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
    const script = await (await fetch('./worker.js')).text()
    // It has no origin that one could name.
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

/** What code says that nobody knows is looked at before it is used: a log is bytes, which the auditor reads. */
function answerOf(data: unknown): Answer {
  const { kind, simulated, problem } = Object(data) as {
    readonly kind?: unknown
    readonly simulated?: Partial<Simulated>
    readonly problem?: Partial<Problem>
  }
  if (kind === 'simulated' && simulated?.log instanceof Uint8Array)
    return { kind, simulated: { log: simulated.log, jobs: Number(simulated.jobs), seconds: Number(simulated.seconds) } }
  const message = String(problem?.message ?? 'the sandbox answered something else').slice(0, 2000)
  return { kind: 'problem', problem: { message, line: numberOf(problem?.line), column: numberOf(problem?.column) } }
}

const numberOf = (value: unknown): number | undefined => (Number.isSafeInteger(value) ? (value as number) : undefined)
