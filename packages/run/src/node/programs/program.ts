import {
  type Claims,
  type ClusterState,
  type Outcome,
  type Placer,
  policyDefects,
  type Request,
} from '@cloister/placement'
import { parseIdset, type Topology } from '@cloister/topology'
import type { AnyPolicy } from '../../services.ts'
import { shown } from './channel.ts'
import { type Bound, Conversation } from './conversation.ts'
import { ToldState, whatIfOf } from './told-state.ts'
import { topologyMessage } from './topology-message.ts'

interface Made {
  readonly unsupported?: string
  readonly claims: Claims
  readonly linkCapacity?: number
  readonly key?: ReadonlyArray<keyof Request> | null
  readonly placesByKey?: boolean
}

/** Policy whose code is a program that reads and writes lines of JSON, as PROTOCOL.md of `@cloister/placement` says. */
export class Program {
  readonly #conversation: Conversation
  readonly policy: AnyPolicy

  /**
   * Starts the program.
   *
   * @param command words of a command, as in a POSIX shell after `exec`
   * @throws ProgramError if the program does not introduce itself
   */
  constructor(command: string) {
    this.#conversation = new Conversation(command, {}, policyDefects)
    this.policy = { ...this.#conversation.value, make: (topology, config) => this.#make(topology, config) }
  }

  /** Ends the program with all its processes. A later call of `make` starts the program again. */
  end(): void {
    this.#conversation.end()
  }

  #make(topology: Topology, config: unknown): Placer<undefined> | { readonly unsupported: string } {
    const placer = new ProgramPlacer(this.#conversation, topology, config)
    const made = this.#conversation.use(placer) as unknown as Made
    const { unsupported, claims, linkCapacity, key, placesByKey } = made
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
}

/** Placer of a program for one topology and one config, and the state as told to the program. */
class ProgramPlacer implements Bound {
  readonly #conversation: Conversation
  readonly number: number
  readonly fields: object
  readonly text: string
  #told = new ToldState()

  constructor(conversation: Conversation, topology: Topology, config: unknown) {
    this.#conversation = conversation
    this.number = conversation.newPart()
    this.fields = { config }
    this.text = `,"placer":${this.number},"topology":${topologyMessage(topology)}`
  }

  place(state: ClusterState<any>, request: Request): Outcome {
    if (this.#conversation.use(this) !== undefined) this.#told = new ToldState()
    const changes = this.#told.tell(state.origin)
    const whatIf = whatIfOf(state.origin, state)
    const fields = { placer: this.number, ...(changes && { changes }), ...(whatIf && { whatIf }), request }
    const { id: _, ...outcome } = this.#conversation.ask('place', fields)
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
      throw this.#conversation.wrong(`answered with ${field} ${shown(ids)}: ${(error as Error).message}`)
    }
  }
}
