import { parseDiscipline } from '@cloister/kernel'
import { canonicalSpec, OptionError, type RunSpec } from '@cloister/run'
import { runFiles } from '../run/inputs.ts'
import { CANDIDATES } from './candidates.ts'

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

/** Valid action of a step: a job, with or without the policy that places the job; undefined to wait. */
type Action = { readonly job: string; readonly placement?: number } | undefined

/** Throws an error for a message of the agent. */
type Wrong = (reason: string) => never

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
  readonly #placements: number
  /** Id of the message that has no answer yet. */
  #id: number | null = null
  /** Reset by which the agent left an episode. */
  #left: Reset | undefined

  /**
   * @param given description of the run on the command line
   * @param placements number of candidate policies; 0 if the agent chooses no placements
   */
  constructor(lines: Lines, given: RunSpec, placements: number) {
    this.#lines = lines
    this.#given = given
    this.#placements = placements
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
   * @param check throws an error by `wrong` for an action that is not possible
   * @param offersOf returns the fields of the answer to a question about a job; throws an error by `wrong`
   * @throws EpisodeLeft
   */
  nextAction(
    observation: object,
    check: (action: Action, wrong: Wrong) => void,
    offersOf: (job: unknown, wrong: Wrong) => object,
  ): Action {
    this.answer(observation)
    const next = this.#next((message) => {
      if (message['type'] === 'reset') return this.#resetOf(message)
      if (message['type'] === 'candidates') {
        this.answer(offersOf(message['job'], wrong))
        return undefined
      }
      const action = this.#actionOf(message)
      check(action, wrong)
      return { action }
    })
    if (next !== undefined && 'action' in next) return next.action
    this.#left = next
    throw new EpisodeLeft()
  }

  /** Returns the next message that `accept` takes; undefined at the end of the input. */
  #next<Accepted>(accept: (message: Message) => Accepted | undefined): Accepted | undefined {
    for (;;) {
      const line = this.#lines.read()
      if (line === undefined) return undefined
      this.#id = null
      try {
        const accepted = accept(this.#messageIn(line))
        if (accepted !== undefined) return accepted
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
    const types = this.#placements > 0 ? ['reset', 'step', 'candidates'] : ['reset', 'step']
    if (typeof type !== 'string' || !types.includes(type))
      wrong(`type: found ${shown(type)}, expected ${types.map((each) => `"${each}"`).join(' or ')}`)
    const allowed = ['type', 'id', ...fieldsOf[type]]
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
    if (this.#placements > 0 && spec.policy !== CANDIDATES)
      throw new OptionError({
        option: 'policy',
        reason: `found ${spec.policy}; the option --placements of the command line has the policies`,
      })
    return { spec, out }
  }

  #actionOf({ action }: Message): Action {
    const most = this.#placements - 1
    if (isObject(action)) {
      const { job, placement, ...others } = action
      const fields = Object.keys(action)
      if (action['wait'] === true && fields.length === 1) return undefined
      if (typeof job === 'string' && Object.keys(others).length === 0 && (fields.length === 1 || most >= 0)) {
        if (fields.length === 1) return { job }
        if (Number.isSafeInteger(placement) && Number(placement) >= 0 && Number(placement) <= most)
          return { job, placement: Number(placement) }
        wrong(`placement: found ${shown(placement)}, expected an integer from 0 to ${most}`)
      }
    }
    const more = most < 0 ? '' : ', {"job":"ID","placement":NUMBER}'
    return wrong(`action: found ${shown(action)}, expected {"job":"ID"}${more} or {"wait":true}`)
  }
}

/** Fields of each message besides its type and id. */
const fieldsOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  reset: ['options', 'out'],
  step: ['action'],
  candidates: ['job'],
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
