import type { Allocation, Resources } from '../allocations.ts'
import type { Outcome, Placement, Request } from '../contract.ts'
import { ClusterState } from '../state.ts'
import type { Asker } from './questions.ts'
import { type Draw, drawRequest, someResources, startTimes } from './draws.ts'
import type { Withheld } from '../resources.ts'
import type { Scene } from './scenes.ts'
import type { Subject } from './subjects.ts'

/** Request of a history, and its state, also as a scene. If the state is a fork, `History.goOn` drops the fork. */
export interface Situation {
  readonly state: ClusterState<any>
  readonly scene: Scene
  readonly request: Request
}

const HOUR = 3_600_000

/**
 * Random history of a machine: jobs start and end, and resources fail and are restored. As a scheduler does, the
 * history asks for starts now, for reservations in expected states, and for starts beside a reservation.
 */
export class History {
  readonly state: ClusterState<any>
  readonly #down: Array<Resources> = []
  readonly #subject: Subject
  readonly #asker: Asker
  readonly #draw: Draw
  #now: number
  #started = 0
  /** True if jobs are small and seldom end, so that many jobs run at once. */
  readonly #isCrowded: boolean
  /** Latest placement for a request with the purpose `reserve`. */
  #reservation: Withheld | undefined

  constructor(subject: Subject, asker: Asker, draw: Draw) {
    this.#subject = subject
    this.#asker = asker
    this.#draw = draw
    this.#now = draw.pick(startTimes)
    this.#isCrowded = draw.once(4)
    const { topology, placer } = subject
    this.state = new ClusterState(topology, { index: placer.index, linkCapacity: placer.linkCapacity ?? 0 })
  }

  next(): Situation {
    const purpose = this.#draw.pick(['start', 'start', 'reserve', 'backfill'] as const)
    const request = drawRequest(this.#draw, this.#someSize(), purpose, this.#now)
    if (purpose === 'start') return { state: this.state, scene: this.#scene(), request }
    return purpose === 'reserve' ? this.#later(request) : this.#besideReservation(request)
  }

  /**
   * Applies an answer: the job starts or gets a reservation. Random ends and failures follow, and up to an hour passes.
   */
  goOn({ state, request }: Situation, outcome: Outcome): void {
    if (state !== this.state) state.drop()
    if (outcome.ok && request.purpose === 'reserve') this.#reservation = outcome
    else if (outcome.ok) this.#start(outcome, request)
    if (!outcome.ok || this.#draw.once(this.#isCrowded ? 12 : 3)) this.#endOne()
    if (this.#draw.once(8)) this.#breakOrMend()
    this.#now += this.#draw.below(HOUR)
  }

  #scene(running: ReadonlyArray<Allocation> = this.state.running, withheld: ReadonlyArray<Withheld> = []): Scene {
    return { running: [...running], ahead: [], down: [...this.#down], withheld }
  }

  /** Makes an expected state for a reservation: a fork without the first jobs to end, sometimes with one more job. */
  #later(request: Request): Situation {
    const ended = this.#draw.below(this.state.running.length + 1)
    const state = this.state.fork()
    state.releaseFirst(ended)
    const ahead = this.state.running.slice(0, ended)
    const running = this.state.running.slice(ended)
    const startsAt = Math.max(this.#now, ahead.at(-1)?.estimatedEnd ?? 0)
    const more = this.#draw.once(3) ? this.#startable() : undefined
    if (more !== undefined) {
      state.occupy(more)
      running.push(more)
    }
    return { state, scene: { ...this.#scene(running), ahead }, request: { ...request, decidedAt: this.#now, startsAt } }
  }

  #startable(): Allocation | undefined {
    const request = drawRequest(this.#draw, this.#someSize(), 'start', this.#now)
    const outcome = this.#asker.ask(this.state, this.#scene(), request)
    return outcome.ok && this.state.isFree(outcome, outcome.bandwidth) ? this.#allocation(outcome, request) : undefined
  }

  #besideReservation(request: Request): Situation {
    const withheld: Withheld = this.#reservation ?? someResources(this.#subject.topology, this.#draw, 4)
    const state = this.state.fork()
    state.withhold(withheld, withheld.bandwidth)
    return { state, scene: this.#scene(this.state.running, [withheld]), request }
  }

  /**
   * Draws a number of nodes. Small numbers are frequent. One draw in six is within 1 of the size of a leaf, the size of
   * a pod or the number of free nodes. A few draws reach or exceed the size of the machine.
   */
  #someSize(): number {
    const { nodes, pods, leaves } = this.#subject.topology
    const leaf = Math.ceil(nodes / leaves)
    const pod = Math.ceil(nodes / pods)
    if (this.#isCrowded && !this.#draw.once(8)) return 1 + this.#draw.below(2)
    if (this.#draw.once(6))
      return Math.max(1, this.#draw.pick([leaf, pod, this.state.freeNodes]) + this.#draw.below(3) - 1)
    return 1 + this.#draw.below(this.#draw.pick([3, leaf, 2 * pod, nodes, nodes + 2]))
  }

  #start(placement: Placement, request: Request): void {
    const allocation = this.#allocation(placement, request)
    this.state.apply(allocation)
    this.#started++
  }

  #allocation({ nodes, links, bandwidth }: Placement, { estimate = HOUR }: Request): Allocation {
    return {
      job: `job-${this.#started}`,
      nodes,
      links,
      estimatedEnd: this.#now + estimate,
      startOrder: this.#started,
      communicates: this.#draw.once(2),
      ...(bandwidth === undefined ? {} : { bandwidth }),
    }
  }

  #endOne(): void {
    const { running } = this.state
    if (running.length > 0) this.state.release(running[this.#draw.below(running.length)])
  }

  #breakOrMend(): void {
    if (this.#down.length > 0 && this.#draw.once(2)) {
      this.state.restore(this.#down.pop()!)
      return
    }
    const resources = this.#notDown(someResources(this.#subject.topology, this.#draw, 6))
    this.state.fail(resources)
    this.#down.push(resources)
  }

  #notDown({ nodes, links }: Resources): Resources {
    const down = (ids: ArrayLike<number> | undefined, id: number): boolean =>
      ids !== undefined && Array.from(ids).includes(id)
    return {
      nodes: Array.from(nodes).filter((node) => !this.#down.some((resources) => down(resources.nodes, node))),
      links: links.map((ids, level) =>
        Array.from(ids).filter((link) => !this.#down.some((resources) => down(resources.links[level], link))),
      ),
    }
  }
}
