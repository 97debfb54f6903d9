import { parseDiscipline } from '@cloister/kernel'
import { canonicalSpec, OptionError, type RunSpec } from '@cloister/run'
import { runFiles } from '../run/inputs.ts'

/** Lines of text in both directions. */
export interface Lines {
  /** Waits for the next line; undefined at the end of the input. */
  readonly read: () => string | undefined
  readonly write: (line: string) => void
}

/** Valid message `reset`. */
export interface Reset {
  /** Description of the run: the options of the command line, with the options of the message instead. */
  readonly spec: RunSpec
  /** Path of the log of the episode; undefined for no log. */
  readonly out: string | undefined
}

/** Valid action of a step: the id of a job, or undefined to wait. */
type Action = string | undefined

/** Thrown in an episode that the agent leaves by a reset, or by the end of its input. */
export class EpisodeLeft extends Error {
  override readonly name: string = 'EpisodeLeft'
}

class MessageError extends Error {
  override readonly name: string = 'MessageError'
}

interface Message {
  readonly [field: string]: unknown
}

/**
 * An agent behind lines of JSON, as ENVIRONMENT.md of `@cloister/ordering` says. Each message of the agent gets one
 * answer. A wrong message gets an error as answer, and changes nothing.
 */
export class Agent {
  readonly #lines: Lines
  readonly #given: RunSpec
  /** Id of the message that has no answer yet. */
  #id: number | null = null
  /** Reset by which the agent left an episode. */
  #left: Reset | undefined

  /** @param given description of the run on the command line */
  constructor(lines: Lines, given: RunSpec) {
    this.#lines = lines
    this.#given = given
  }

  /** Answers the last message. */
  answer(fields: object): void {
    this.#lines.write(JSON.stringify({ id: this.#id, ...fields }))
  }

  /** Returns the next reset outside of an episode; undefined at the end of the input. */
  nextReset(): Reset | undefined {
    const left = this.#left
    this.#left = undefined
    return left ?? this.#next((message) => this.#resetOf(message))
  }

  /**
   * Answers the last message with an observation, and returns the next action.
   *
   * @param check throws a MessageError by `wrong` for an action that is not possible
   * @throws EpisodeLeft
   */
  nextAction(observation: object, check: (action: Action, wrong: (reason: string) => never) => void): Action {
    this.answer(observation)
    const next = this.#next((message) => {
      if (message['type'] === 'reset') return this.#resetOf(message)
      const action = actionOf(message)
      check(action, wrong)
      return { action }
    })
    if (next !== undefined && 'action' in next) return next.action
    this.#left = next
    throw new EpisodeLeft()
  }

  /** Returns the next message that `accept` takes. */
  #next<Accepted>(accept: (message: Message) => Accepted): Accepted | undefined {
    for (;;) {
      const line = this.#lines.read()
      if (line === undefined) return undefined
      this.#id = null
      try {
        return accept(this.#messageIn(line))
      } catch (error) {
        if (!(error instanceof MessageError || error instanceof OptionError)) throw error
        this.answer({ error: error.message })
      }
    }
  }

  #messageIn(line: string): Message {
    let message: unknown
    try {
      message = JSON.parse(line)
    } catch (error) {
      wrong(`the line is not JSON: ${(error as Error).message}`)
    }
    if (!isObject(message)) wrong(`found ${shown(message)}, expected a JSON object with type and id`)
    const { id, type } = message
    if (!Number.isSafeInteger(id)) wrong(`id: found ${shown(id)}, expected an integer`)
    this.#id = id as number
    if (type !== 'reset' && type !== 'step') wrong(`type: found ${shown(type)}, expected "reset" or "step"`)
    const allowed = type === 'reset' ? ['type', 'id', 'options', 'out'] : ['type', 'id', 'action']
    const unknown = Object.keys(message).find((field) => !allowed.includes(field))
    if (unknown !== undefined) wrong(`found the field ${shown(unknown)}; a ${type} has ${allowed.join(', ')}`)
    return message
  }

  #resetOf({ type, options = {}, out }: Message): Reset {
    if (type !== 'reset') wrong('no episode runs; a reset begins an episode')
    if (!isObject(options)) wrong(`options: found ${shown(options)}, expected an object of run options`)
    if (out !== undefined && (typeof out !== 'string' || out === ''))
      wrong(`out: found ${shown(out)}, expected the path of a new log`)
    const spec = canonicalSpec({ ...this.#given, ...options }, runFiles)
    checkChoosable(spec)
    return { spec, out }
  }
}

/** Checks that the agent can choose the head of the queue. @throws OptionError */
export function checkChoosable({ queue, order = 'submit' }: RunSpec): void {
  if (order !== 'submit')
    throw new OptionError({
      option: 'order',
      reason: `found ${order}; the agent orders the queue, so that no other order can`,
    })
  const discipline = parseDiscipline(queue ?? '')
  const { backfill } = discipline ?? {}
  const isEasy = discipline?.backfill === 'easy' && discipline.kill !== true
  if (!isEasy && backfill !== 'none' && backfill !== 'unreserved')
    throw new OptionError({
      option: 'queue',
      reason: `found ${queue}; an agent can choose the head under fcfs, under unreserved:W and under easy:W without kill`,
    })
}

function actionOf({ action }: Message): Action {
  if (isObject(action) && Object.keys(action).length === 1) {
    if (typeof action['job'] === 'string') return action['job']
    if (action['wait'] === true) return undefined
  }
  return wrong(`action: found ${shown(action)}, expected {"job":"ID"} or {"wait":true}`)
}

function isObject(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function wrong(reason: string): never {
  throw new MessageError(reason)
}

/** Returns a value for a message, cut to 100 characters. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
