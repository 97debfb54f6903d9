// The worker of the playground answers one question after the other. In the sandbox the same script runs a user's code.
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

/** Returns message and place of an error. Stack frames with a `blob:` address have lines of the policy's code. */
function problemOf(error: unknown): Problem {
  const thrown = innermost(error)
  const message = error instanceof Error ? error.message : String(error)
  const [, line, column] = /blob:[^\s)]*?:(\d+):(\d+)/.exec(ownFrames(thrown)) ?? []
  return {
    message: message || 'the code failed without a message',
    line: line === undefined ? undefined : Number(line),
    column: column === undefined ? undefined : Number(column),
  }
}

function innermost(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : undefined
  return cause === undefined ? error : innermost(cause)
}

function ownFrames(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  return stack
    .split('\n')
    .filter((frame) => !frame.includes(self.location.href))
    .join('\n')
}
