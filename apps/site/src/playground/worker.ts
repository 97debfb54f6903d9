// The worker: answers one question after the other. The same script runs a policy's code in the sandbox.
import { examine } from './examine.ts'
import type { Answer, Problem, Question } from './questions.ts'
import { simulate } from './simulate.ts'

onmessage = async ({ data }: MessageEvent<Question>) => {
  postMessage(await answer(data).catch((error: unknown): Answer => ({ kind: 'problem', problem: problemOf(error) })))
}

async function answer(question: Question): Promise<Answer> {
  if (question.kind === 'simulate') return { kind: 'simulated', simulated: await simulate(question) }
  return { kind: 'examined', examined: await examine(question.log, question.asked) }
}

/** What to tell of an error. A policy's code is a module of its own, of whose lines the stack tells. */
function problemOf(error: unknown): Problem {
  const thrown = innermost(error)
  const message = error instanceof Error ? error.message : String(error)
  const [, line, column] = /blob:[^\s)]*?:(\d+):(\d+)/.exec(ownFrames(thrown)) ?? []
  return {
    message: message || 'it failed without a word',
    line: line === undefined ? undefined : Number(line),
    column: column === undefined ? undefined : Number(column),
  }
}

/** What the policy threw, inside of what tells of it. */
function innermost(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : undefined
  return cause === undefined ? error : innermost(cause)
}

/** The stack without this script's own frames. */
function ownFrames(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  return stack
    .split('\n')
    .filter((frame) => !frame.includes(self.location.href))
    .join('\n')
}
