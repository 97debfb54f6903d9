import { randomUUID } from 'node:crypto'
import { Channel, ProgramError, shown } from './channel.ts'
import { timeForAnswer } from './time-limit.ts'

/** Beginning of the value of `--policy` or `--order` for a program; the command follows. */
export const EXEC = 'exec:'

/** Number of placers or orderings that a program has at a time. The program forgets the one asked least recently. */
const MOST_BOUND = 24

/** Answer of a program to `hello`. */
interface Hello {
  readonly contract: 1
  readonly name: string
  readonly version: string
  readonly options?: object
}

/** JSON object that a program answered. */
export type Answer = Readonly<Record<string, unknown>>

/** Part of a program for one machine and one config: a placer or an ordering. */
export interface Bound {
  readonly number: number
  /** Fields of the question `make`. */
  readonly fields: object
  /** Further fields, as JSON text that begins with a comma. */
  readonly text?: string
}

/** Running program that answers questions in lines of JSON. The program is started again after a failure. */
export class Conversation {
  readonly #command: string
  readonly #asks: object
  readonly #defects: (value: object) => ReadonlyArray<string>
  #channel!: Channel
  #asked = 0
  #made = 0
  /** Parts that the program has, the least recently asked first, and the part asked last. */
  readonly #known = new Set<number>()
  #latest = 0
  /** Members that policies and orders have alike. */
  readonly value: { readonly contract: 1; readonly name: string; readonly version: string; readonly config: any }

  /**
   * Starts the program.
   *
   * @param command words of a command, as in a POSIX shell after `exec`
   * @param asks fields of the question `hello`
   * @param defects returns the problems of a policy or an order
   * @throws ProgramError if the program does not introduce itself
   */
  constructor(command: string, asks: object, defects: (value: object) => ReadonlyArray<string>) {
    this.#command = command
    this.#asks = asks
    this.#defects = defects
    const { contract, name, version, options } = this.#start()
    const validate = (value: unknown): unknown => {
      this.#startAgain()
      const { config, issues } = this.ask('config', { config: value ?? null })
      return issues === undefined ? { value: config } : { issues }
    }
    const jsonSchema = options && { input: () => ({ type: 'object', properties: options }) }
    const config = { '~standard': { version: 1, vendor: 'program', validate, ...(jsonSchema && { jsonSchema }) } }
    this.value = { contract, name, version, config }
  }

  /**
   * Sends a question and returns the answer.
   *
   * @param text further fields, as JSON text that begins with a comma
   * @throws ProgramError
   */
  ask(type: string, fields: object, text = ''): Answer {
    const id = ++this.#asked
    const rest = JSON.stringify(fields)
    const line = `{"type":"${type}","id":${id}${text}${rest === '{}' ? '' : `,${rest.slice(1, -1)}`}}`
    const channel = this.#channel
    const answer = channel.ask(line, timeForAnswer(type))
    let json: unknown
    try {
      json = JSON.parse(answer)
    } catch {
      // Below is the error for any line that is no answer.
    }
    if (typeof json !== 'object' || json === null || Array.isArray(json))
      throw this.wrong(`answered with a line that is no JSON object: ${shown(answer)}`)
    if ((json as Answer)['id'] !== id) {
      const found = JSON.stringify((json as Answer)['id']) ?? 'none'
      throw this.wrong(`answered with the id ${shown(found)}; expected ${id}`)
    }
    const { error } = json as Answer
    if (error !== undefined)
      throw channel.fail({
        code: 'throws',
        reason: `reported an error: ${shown(typeof error === 'string' ? error : JSON.stringify(error))}`,
      })
    return json as Answer
  }

  /** Returns the error for an answer that breaks the protocol, and ends the program. */
  wrong(reason: string): ProgramError {
    return this.#channel.fail({ code: 'answer', reason })
  }

  /** Ends the program with all its processes. A later call of `bind` starts the program again. */
  end(): void {
    this.#channel.end()
  }

  /** Returns a number for a new part of the program. Starts the program again after a failure. */
  newPart(): number {
    this.#startAgain()
    return ++this.#made
  }

  /** Makes sure that the program has a part. @returns the answer to `make`; undefined if the program had the part */
  use({ number, fields, text }: Bound): Answer | undefined {
    if (this.#latest === number && this.#known.has(number)) return undefined
    this.#latest = number
    if (this.#known.delete(number)) {
      this.#known.add(number)
      return undefined
    }
    const [oldest] = this.#known
    const forget = this.#known.size < MOST_BOUND ? undefined : oldest
    if (forget !== undefined) this.#known.delete(forget)
    this.#known.add(number)
    return this.ask('make', { ...fields, ...(forget !== undefined && { forget }) }, text)
  }

  #start(): Hello {
    this.#channel = new Channel(this.#command, randomUUID())
    this.#known.clear()
    const hello = this.ask('hello', { ...this.#asks, contract: 1 }) as unknown as Hello
    const config = { '~standard': { version: 1, vendor: 'program', validate: () => ({ value: {} }) } }
    const { contract, name, version } = hello
    const defects = this.#defects({ contract, name, version, config, make: () => undefined })
    if (defects.length > 0) throw this.wrong(`answered hello wrongly: ${defects.join('; ')}`)
    return hello
  }

  #startAgain(): void {
    if (!this.#channel.hasFailed) return
    const { name, version } = this.#start()
    if (name !== this.value.name || version !== this.value.version)
      throw this.wrong(`is now ${name}@${version}; at first the program was ${this.value.name}@${this.value.version}`)
  }
}
