// Asks the worker that has the compiler. The first question fetches the worker's script.
import type { CompilerAnswer, CompilerQuestion, Fault } from '../compiler-worker.ts'
import { ProblemError } from './ask.ts'

interface Asked {
  readonly resolve: (answer: CompilerAnswer) => void
  readonly reject: (error: ProblemError) => void
}

let worker: Worker | undefined
const asked = new Map<number, Asked>()
let last = 0

function ask(kind: CompilerQuestion['kind'], code: string): Promise<CompilerAnswer> {
  worker ??= newWorker()
  const question: CompilerQuestion = { at: ++last, kind, code }
  worker.postMessage(question)
  return new Promise((resolve, reject) => asked.set(question.at, { resolve, reject }))
}

function newWorker(): Worker {
  const made = new Worker('./compiler.js')
  made.onmessage = ({ data }: MessageEvent<CompilerAnswer>) => {
    asked.get(data.at)?.resolve(data)
    asked.delete(data.at)
  }
  made.onerror = ({ message }) => {
    // The next question fetches the script again.
    worker = undefined
    const problem = { message: message || 'the compiler did not load', line: undefined, column: undefined }
    for (const { reject } of asked.values()) reject(new ProblemError(problem))
    asked.clear()
  }
  return made
}

/** Returns the errors of syntax and types in a policy's code; none if the compiler failed. */
export async function typeFaults(code: string): Promise<ReadonlyArray<Fault>> {
  return ask('types', code).then(
    ({ faults }) => faults,
    () => [],
  )
}

/** Removes types from TypeScript code; every character of JavaScript stays in its place. @throws ProblemError */
export async function withoutTypes(code: string): Promise<string> {
  const { faults, javascript } = await ask('javascript', code)
  if (faults.length === 0) return javascript
  const [{ from, message }] = faults
  const lines = code.slice(0, from).split('\n')
  throw new ProblemError({ message, line: lines.length, column: lines.at(-1)!.length + 1 })
}
