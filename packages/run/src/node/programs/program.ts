import { randomUUID } from 'node:crypto'
import {
  type Claims,
  type ClusterState,
  type Outcome,
  type PlacementPolicy,
  type Placer,
  policyDefects,
  type Request,
} from '@cloister/placement'
import { parseIdset, type Topology } from '@cloister/topology'
import type { AnyPolicy } from '../../services.ts'
import { Channel, ProgramError, shown } from './channel.ts'
import { timeForAnswer } from './time-limit.ts'
import { ToldState, whatIfOf } from './told-state.ts'
import { topologyMessage } from './topology-message.ts'

/** Beginning of the value of `--policy` for a program; the command follows. */
export const EXEC = 'exec:'

/** Number of placers that a program has at a time. The program forgets the placer that was asked least recently. */
const MOST_PLACERS = 24

interface Hello {
  readonly contract: 1
  readonly name: string
  readonly version: string
  readonly options?: object
}

interface Made {
  readonly unsupported?: string
  readonly claims: Claims
  readonly linkCapacity?: number
  readonly key?: ReadonlyArray<keyof Request> | null
  readonly placesByKey?: boolean
}

type Answer = Readonly<Record<string, unknown>>

/** Policy whose code is a program that reads and writes lines of JSON, as PROTOCOL.md of `@cloister/placement` says. */
export class Program {
  readonly #command: string
  #channel!: Channel
  #asked = 0
  #placers = 0
  /** Placers that the program has, the least recently asked first. */
  readonly #known = new Map<number, ProgramPlacer>()
  readonly policy: AnyPolicy

  /**
   * Starts the program.
   *
   * @param command words of a command, as in a POSIX shell after `exec`
   * @throws ProgramError if the program does not introduce itself
   */
  constructor(command: string) {
    this.#command = command
    const { contract, name, version, options } = this.#start()
    const validate = (value: unknown): unknown => {
      this.#startAgain()
      const { config, issues } = this.ask('config', { config: value ?? null })
      return issues === undefined ? { value: config } : { issues }
    }
    const jsonSchema = options && { input: () => ({ type: 'object', properties: options }) }
    const config = { '~standard': { version: 1, vendor: 'program', validate, ...(jsonSchema && { jsonSchema }) } }
    this.policy = {
      contract,
      name,
      version,
      config: config as unknown as PlacementPolicy<unknown>['config'],
      make: (topology, value) => this.#make(topology, value),
    }
  }

  /** Sends a message and returns the answer. @throws ProgramError */
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
      throw channel.fail({ code: 'answer', reason: `answered with a line that is no JSON object: ${shown(answer)}` })
    if ((json as Answer)['id'] !== id) {
      const found = JSON.stringify((json as Answer)['id']) ?? 'none'
      throw channel.fail({ code: 'answer', reason: `answered with the id ${shown(found)}; expected ${id}` })
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

  /** Ends the program with all its processes. A later call of `make` starts the program again. */
  end(): void {
    this.#channel.end()
  }

  /** Makes sure that the program has a placer. @returns true if the program has just made the placer again */
  use(placer: ProgramPlacer): boolean {
    if (this.#known.has(placer.number)) {
      this.#known.delete(placer.number)
      this.#known.set(placer.number, placer)
      return false
    }
    this.#tellPlacer(placer)
    return true
  }

  #start(): Hello {
    this.#channel = new Channel(this.#command, randomUUID())
    this.#known.clear()
    const hello = this.ask('hello', { contract: 1 }) as unknown as Hello
    const validate = (): unknown => ({ value: {} })
    const config = { '~standard': { version: 1, vendor: 'program', validate } }
    const { contract, name, version } = hello
    const defects = policyDefects({ contract, name, version, config, make: () => undefined })
    if (defects.length > 0) throw this.wrong(`answered hello wrongly: ${defects.join('; ')}`)
    return hello
  }

  /** Starts the program again after a failure. */
  #startAgain(): void {
    if (!this.#channel.hasFailed) return
    const { name, version } = this.#start()
    if (name !== this.policy.name || version !== this.policy.version)
      throw this.wrong(`is now ${name}@${version}; at first the program was ${this.policy.name}@${this.policy.version}`)
  }

  #make(topology: Topology, config: unknown): Placer<undefined> | { readonly unsupported: string } {
    this.#startAgain()
    const placer = new ProgramPlacer(this, ++this.#placers, topology, config)
    const { unsupported, claims, linkCapacity, key, placesByKey } = this.#tellPlacer(placer)
    if (unsupported !== undefined) return { unsupported }
    return {
      claims,
      ...(linkCapacity !== undefined && { linkCapacity }),
      ...(placesByKey === true && { placesByKey }),
      ...(key !== undefined && {
        requestKey: (request: Request) => key?.map((field) => JSON.stringify(request[field])).join(),
      }),
      place: (state, request) => placer.place(state as ClusterState, request),
    }
  }

  #tellPlacer(placer: ProgramPlacer): Made {
    const [oldest] = this.#known.keys()
    const forget = this.#known.size < MOST_PLACERS ? undefined : oldest
    if (forget !== undefined) this.#known.delete(forget)
    this.#known.set(placer.number, placer)
    const { number, topology, config } = placer
    const text = `,"placer":${number},"topology":${topologyMessage(topology)}`
    return this.ask('make', { config, ...(forget !== undefined && { forget }) }, text) as unknown as Made
  }
}

/** Placer of a program for one topology and one config, and the state as told to the program. */
class ProgramPlacer {
  readonly #program: Program
  readonly number: number
  readonly topology: Topology
  readonly config: unknown
  #told = new ToldState()

  constructor(program: Program, number: number, topology: Topology, config: unknown) {
    this.#program = program
    this.number = number
    this.topology = topology
    this.config = config
  }

  place(state: ClusterState<any>, request: Request): Outcome {
    if (this.#program.use(this)) this.#told = new ToldState()
    const changes = this.#told.tell(state.origin)
    const whatIf = whatIfOf(state.origin, state)
    const fields = { placer: this.number, ...(changes && { changes }), ...(whatIf && { whatIf }), request }
    const { id: _, ...outcome } = this.#program.ask('place', fields)
    if (outcome['ok'] !== true) return outcome as unknown as Outcome
    return {
      ...outcome,
      nodes: this.#ids('nodes', outcome['nodes']),
      links: Array.isArray(outcome['links'])
        ? outcome['links'].map((ids) => this.#ids('links', ids))
        : (outcome['links'] ?? []),
    } as unknown as Outcome
  }

  #ids(field: string, ids: unknown): unknown {
    if (typeof ids !== 'string') return ids
    try {
      return parseIdset(ids)
    } catch (error) {
      throw this.#program.wrong(`answered with ${field} ${shown(ids)}: ${(error as Error).message}`)
    }
  }
}
