import { performance } from 'node:perf_hooks'
import type { Topology } from '@cloister/topology'
import { routerDefects, tablesDefect } from '../router-defects.ts'
import type { Router } from '../router.ts'
import { Interrupted, interruptible } from './campaign.ts'
import { Draw } from './draws.ts'
import { describe } from './questions.ts'
import { withTraps } from './reads.ts'
import type { PolicyCheck } from './run-checks.ts'
import { type Callable, callsAsCode, drawCalls, type RouterCall } from './routers/calls.ts'
import { RouterFault } from './routers/instances.ts'
import { type RoutedMachine, routedMachines } from './routers/machines.ts'
import { type RouterCheckName, routerCheckNames as is } from './routers/names.ts'
import { RouterPlay } from './routers/play.ts'

/** Options of the conformance suite of routers. */
export interface RouterCheckOptions {
  /** Topologies for the checks, in addition to the topologies of the suite. */
  readonly topologies?: ReadonlyArray<Topology>
  /** Number of random histories on each small topology; a quarter on a topology of more than 50 nodes. Default 8. */
  readonly histories?: number
  /** Time limit of a history, in s. A router in an endless loop is stopped. Default 10. */
  readonly seconds?: number
  /** Receives the progress after each history. Default: no reports. */
  readonly onProgress?: (progress: { readonly machine: string; readonly done: number; readonly total: number }) => void
}

const HISTORIES = 8
const SECONDS = 10
/** Factor of the time limit in a second try, after a busy computer exceeded the limit. */
const PATIENCE = 10
/** Most nodes of a topology with all histories. */
const SMALL = 50

/** Prerequisites of the later checks: without these the later results are meaningless. */
const basis: ReadonlyArray<RouterCheckName> = Object.values(is).slice(0, Object.values(is).indexOf(is.connects))
const later: Partial<Readonly<Record<RouterCheckName, ReadonlyArray<RouterCheckName>>>> = {
  [is.whole]: [is.connects],
  [is.failures]: [is.connects],
  [is.unroutable]: [is.connects, is.failures],
  [is.repair]: [is.connects, is.order, is.failures],
}

/**
 * Returns one check for each property that the contract demands of a router, for any test runner. The first check that
 * needs random histories plays the histories of all checks.
 *
 * @example
 * for (const result of runChecks(routerChecks(router))) console.log(result.name, result.outcome)
 */
export function routerChecks(router: Router, options: RouterCheckOptions = {}): ReadonlyArray<PolicyCheck> {
  let campaign: RouterCampaign | undefined
  const played = (): RouterCampaign => (campaign ??= new RouterCampaign(router, options))
  const isClaimed = (name: RouterCheckName): boolean => {
    const { links, changes } = router.claims
    if (name.startsWith('change:')) return played().hasChange
    if (name === is.owned) return links === 'owned'
    const claimed = /^changes (.*):/.exec(name)?.[1].split(' or ')
    return claimed === undefined || claimed.includes(changes)
  }
  return Object.values(is).map((name, at) => ({
    name,
    standsOn: at < basis.length ? basis.slice(0, at) : [...basis, ...(later[name] ?? [])],
    run: () => {
      if (name === is.members) return checkMembers(router)
      const fault = played().faultOf(name)
      if (fault !== undefined) throw fault
    },
    isClaimed: () => name === is.members || isClaimed(name),
  }))
}

function checkMembers(router: Router): void {
  const defects = routerDefects(router)
  if (defects.length > 0) throw new Error(defects.join('; '))
}

/** Plays random histories on every machine, and keeps the first fault of each check. */
class RouterCampaign {
  readonly #router: Router
  readonly #options: RouterCheckOptions
  readonly #faults: Map<RouterCheckName, Error> = new Map()
  hasChange = false

  constructor(router: Router, options: RouterCheckOptions) {
    this.#router = router
    this.#options = options
    withTraps(() => this.#playAll())
  }

  faultOf(check: RouterCheckName): Error | undefined {
    return this.#faults.get(check)
  }

  #playAll(): void {
    const histories = this.#options.histories ?? HISTORIES
    const rounds = this.#served().flatMap((machine) => {
      const count = machine.topology.nodes > SMALL ? Math.ceil(histories / 4) : histories
      return Array.from({ length: count }, (_, at) => ({ machine, seed: at + 1 }))
    })
    for (const [at, { machine, seed }] of rounds.entries()) {
      this.#playOne(machine, seed)
      this.#options.onProgress?.({ machine: machine.topology.name, done: at + 1, total: rounds.length })
      // A router that hangs would use the whole time of every further history.
      if (this.#faults.has(is.answers)) return
    }
  }

  /** Returns the machines that the router serves. */
  #served(): ReadonlyArray<RoutedMachine> {
    const unsupported: Array<string> = []
    const served = routedMachines(this.#options.topologies ?? []).filter((machine) => {
      const { name } = machine.topology
      // A `make` that hangs would use the whole time on every further machine.
      if (this.#faults.has(is.answers)) return false
      try {
        const made: unknown = this.#inTime(() => this.#router.make(machine.topology))
        const defect = tablesDefect(made)
        if (defect !== undefined) this.#see(is.serves, `${name}: ${defect}`)
        if (defect !== undefined) return false
        const tables = made as ReturnType<Router['make']>
        if ('unsupported' in tables) unsupported.push(`${name}: ${tables.unsupported}`)
        else if (tables.change !== undefined) this.hasChange = true
        return !('unsupported' in tables)
      } catch (error) {
        this.#see(is.answers, `${name}: make ${thrownInWords(error)}`, error)
        return false
      }
    })
    if (served.length === 0 && this.#faults.size === 0)
      this.#see(is.serves, `the router serves no topology of the suite: ${unsupported.join('; ')}`)
    return served
  }

  #playOne(machine: RoutedMachine, seed: number): void {
    const callable: Callable = {
      ownsLinks: this.#router.claims.links === 'owned',
      // Every second history has no failures, because a mistake after a repair would hide all other mistakes.
      hasChange: this.hasChange && seed % 2 === 1,
    }
    const calls = drawCalls(machine.topology, callable, new Draw(seed))
    const fault = this.#faultIn(machine, calls)
    if (fault === undefined || this.#faults.has(fault.check)) return
    const shown = fault.check === is.answers ? { fault, calls } : this.#fewer(machine, fault, calls)
    const code = callsAsCode(machine, shown.calls.slice(0, shown.fault.calls))
    this.#see(
      fault.check,
      `${machine.topology.name}, history ${seed}: ${shown.fault.message}\n\nCalls that show the fault:\n\n${code}\n`,
      fault.cause,
    )
  }

  /** Returns fewer calls with the same fault: leaves out jobs, and failures with their repairs, as long as possible. */
  #fewer(machine: RoutedMachine, first: Seen, given: ReadonlyArray<RouterCall>): { fault: Seen; calls: RouterCall[] } {
    let least = { fault: first, calls: given.slice(0, Math.max(first.calls, 0)) }
    const until = performance.now() + 1000 * this.#limit
    for (const of of new Set(given.map((call) => call.of))) {
      if (performance.now() > until) break
      const calls = least.calls.filter((call) => call.of !== of)
      const fault = this.#faultIn(machine, calls)
      if (fault?.check === first.check) least = { fault, calls: calls.slice(0, fault.calls) }
    }
    return least
  }

  #faultIn(machine: RoutedMachine, calls: ReadonlyArray<RouterCall>): Seen | undefined {
    let made = 0
    try {
      this.#inTime(() => {
        made = 0
        const play = new RouterPlay(this.#router, machine)
        for (const call of calls) {
          made++
          play.next(call)
        }
        play.finish()
      })
      return undefined
    } catch (error) {
      const check = error instanceof RouterFault ? error.check : is.answers
      const message = error instanceof RouterFault ? error.message : `a call ${thrownInWords(error)}`
      return { check, message, calls: made, cause: error instanceof RouterFault ? error.cause : error }
    }
  }

  /** Time limit of a history in s. */
  get #limit(): number {
    return this.#options.seconds ?? SECONDS
  }

  /** Runs code with the time limit of a history, and again with more time if a busy computer exceeded the limit. */
  #inTime<Result>(run: () => Result): Result {
    const began = process.cpuUsage()
    try {
      return interruptible(run, 1000 * this.#limit)
    } catch (error) {
      const { user, system } = process.cpuUsage(began)
      const isBusy = (user + system) / 1_000_000 < this.#limit / 2
      if (!(error instanceof Interrupted) || !isBusy) throw error
      return interruptible(run, 1000 * PATIENCE * this.#limit)
    }
  }

  #see(check: RouterCheckName, message: string, cause?: unknown): void {
    if (!this.#faults.has(check)) this.#faults.set(check, new Error(message, { cause }))
  }
}

/** First fault of a history, after `calls` calls. */
interface Seen {
  readonly check: RouterCheckName
  readonly message: string
  readonly calls: number
  readonly cause: unknown
}

function thrownInWords(error: unknown): string {
  return error instanceof Interrupted ? error.message : `threw ${describe(error)}`
}
