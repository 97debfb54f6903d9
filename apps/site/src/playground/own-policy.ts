// Loads a user's policy in the sandbox, and finds the place of its errors in the code.
import { type AnyPolicy, OptionError } from '@cloister/run'
import type { Problem } from './setup.ts'

/** A user's policy, with its last answer for the page. */
export interface OwnPolicy {
  readonly policy: AnyPolicy
  readonly lastAnswer: () => unknown
  /**
   * Asks the last request again, and returns the last line of the code that read the request or the state; undefined
   * if no line did.
   */
  readonly answerLine: () => number | undefined
  /** Returns the line of the function `place` in the code; undefined if the line is unknown. */
  readonly placeLine: () => number | undefined
}

type Place = (...question: Array<any>) => unknown

/** The last call of `place`. */
interface Asked {
  readonly made: unknown
  readonly place: Place
  readonly question: Array<any>
  answer: unknown
}

/** Loads the policy that is the default export of JavaScript code. @throws OptionError if the export is no policy */
export async function policyOf(code: string): Promise<OwnPolicy> {
  const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }))
  const { default: policy } = (await import(url)) as { readonly default?: AnyPolicy }
  if (policy === undefined || typeof policy.make !== 'function')
    throw new OptionError({
      option: 'code',
      reason: 'expected a policy as the default export of the code: export default …',
    })
  let last: Asked | undefined
  let source: string | undefined
  const make: AnyPolicy['make'] = (topology, config) => {
    const made = policy.make(topology, config)
    if (typeof Object(made).place !== 'function' || !Object.isExtensible(made)) return made
    const { place } = made as unknown as { readonly place: Place }
    source = String(place)
    const remembering: Place = (...question) => {
      last = { made, place, question, answer: undefined }
      return (last.answer = place.apply(made, question))
    }
    Object.defineProperty(made, 'place', { value: remembering, configurable: true, writable: true })
    return made
  }
  return {
    policy: Object.create(policy, { make: { value: make } }) as AnyPolicy,
    lastAnswer: () => last?.answer,
    answerLine: () => last && lastLine(last),
    placeLine: () => {
      const at = source === undefined ? -1 : code.indexOf(source)
      return at === -1 ? undefined : code.slice(0, at).split('\n').length
    },
  }
}

function lastLine({ made, place, question: [state, request, ...more] }: Asked): number | undefined {
  let line: number | undefined
  const watched = <Value extends object>(value: Value): Value =>
    new Proxy(value, {
      get(of, key) {
        line = problemOf(new Error('read')).line ?? line
        const member: unknown = Reflect.get(of, key)
        return typeof member === 'function' ? member.bind(of) : member
      },
    })
  try {
    place.apply(made, [watched(state), watched(request), ...more])
  } catch {
    // The line before the error is the answer.
  }
  return line
}

/** Returns message and place of an error. Stack frames with a `blob:` address have lines of the policy's code. */
export function problemOf(error: unknown): Problem {
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
