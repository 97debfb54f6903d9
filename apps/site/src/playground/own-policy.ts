// Loads a user's policy in the sandbox, and finds the place of its errors in the code.
import { type AnyPolicy, OptionError } from '@cloister/run'
import type { Problem } from './setup.ts'

/** A user's policy. The policy remembers its last answer, so that the page can show a wrong answer. */
export interface OwnPolicy {
  readonly policy: AnyPolicy
  readonly lastAnswer: () => unknown
  /** Returns the line of the function `place` in the code; undefined if the line is unknown. */
  readonly placeLine: () => number | undefined
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
  let last: unknown
  let source: string | undefined
  const make: AnyPolicy['make'] = (topology, config) => {
    const made = policy.make(topology, config)
    if (typeof Object(made).place !== 'function' || !Object.isExtensible(made)) return made
    const { place } = made as { readonly place: (...question: ReadonlyArray<unknown>) => unknown }
    source = String(place)
    const remembering = function (this: unknown, ...question: Array<unknown>): unknown {
      last = undefined
      last = place.apply(this, question)
      return last
    }
    Object.defineProperty(made, 'place', { value: remembering, configurable: true, writable: true })
    return made
  }
  const placeLine = (): number | undefined => {
    const at = source === undefined ? -1 : code.indexOf(source)
    return at === -1 ? undefined : code.slice(0, at).split('\n').length
  }
  return { policy: Object.create(policy, { make: { value: make } }) as AnyPolicy, lastAnswer: () => last, placeLine }
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
