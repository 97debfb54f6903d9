import type { Router, Routes, SwitchEntries } from '../../router.ts'
import type { RouterCall } from './calls.ts'
import { FoldedTables, linkName } from './folded-tables.ts'
import { type Answer, RouterFault, RouterInstances } from './instances.ts'
import { type RoutedMachine, unconnectedPair, type Usable } from './machines.ts'
import { type RouterCheckName, routerCheckNames as is } from './names.ts'

/**
 * Calls the tables of a router as a scheduler would, and compares the tables with the entries that the router returned.
 */
export class RouterPlay {
  readonly #router: Router
  readonly #machine: RoutedMachine
  readonly #fold: FoldedTables
  readonly #instances: RouterInstances
  /** Running jobs, in the order of their starts. */
  readonly #running: Map<string, RouterCall> = new Map()
  readonly #failures: Map<string, RouterCall> = new Map()
  /** Running jobs that a change called unroutable, until a change says the contrary. */
  readonly #named: Set<string> = new Set()

  /** @throws RouterFault for the first fault of `make` or `initial` */
  constructor(router: Router, machine: RoutedMachine) {
    const { topology } = machine
    this.#router = router
    this.#machine = machine
    this.#fold = new FoldedTables(topology)
    const instances = new RouterInstances(router, machine)
    this.#instances = instances
    const { entries } = instances.both((tables) => instances.answer(tables.initial?.() ?? []))
    this.#fold.begin(entries)
    this.#checkPorts('initial')
    this.#checkWays(undefined)
  }

  /** Makes a call, and checks the tables after it. @throws RouterFault */
  next(call: RouterCall): void {
    if (call.kind === 'end') this.#named.delete(call.of)
    const before = this.#lost()
    const answer = this.#instances.both((tables) => this.#instances.called(tables, call))
    this.#note(call)
    this.#checkJobsOf(call, answer)
    this.#put(call, answer)
    this.#checkPorts(call.kind)
    this.#checkWays(call)
    if (call.kind === 'down' || call.kind === 'up') this.#checkUnroutable(answer, before)
    const { changes } = this.#router.claims
    const isRepaired = call.kind === 'up' && this.#failures.size === 0
    if (isRepaired && changes !== 'any')
      this.#compare(this.#started([...this.#running.values()]), is.repair, 'in tables without failures')
  }

  /** Checks that the order of the starts and the jobs that ended leave no trace. @throws RouterFault */
  finish(): void {
    if (this.#router.claims.changes === 'any') return
    const jobs = [...this.#running.values()]
    const order = jobs.toReversed().map(({ of }) => of)
    this.#compare(
      this.#started(jobs.toReversed()),
      is.order,
      `if only the jobs ${order.join(', ')} start, in this order`,
    )
  }

  /** Returns tables in which only the given jobs have started, in their order. */
  #started(jobs: ReadonlyArray<RouterCall>): Routes {
    const instances = this.#instances
    const tables = instances.make()
    instances.watched(() => instances.answer(tables.initial?.() ?? []))
    for (const job of jobs) instances.watched(() => instances.called(tables, { ...job, kind: 'start' }))
    return tables
  }

  #compare(tables: Routes, check: RouterCheckName, name: string): void {
    const difference = this.#instances.watched(() => this.#fold.differenceFrom(tables, name))
    if (difference !== undefined) throw new RouterFault(check, difference)
  }

  #note(call: RouterCall): void {
    if (call.kind === 'start') this.#running.set(call.of, call)
    else if (call.kind === 'end') this.#running.delete(call.of)
    else if (call.kind === 'down') this.#failures.set(call.of, call)
    else this.#failures.delete(call.of)
  }

  /** Checks that the entries of a start, an end or a failure belong to the jobs that they may change. */
  #checkJobsOf({ kind, of, nodes }: RouterCall, { entries, changes, unroutable }: Answer): void {
    const claim = this.#router.claims.changes
    const other = (all: ReadonlyArray<SwitchEntries>, own: ReadonlyArray<number>): number | undefined =>
      all.flatMap((each) => Array.from(each.nodes)).find((node) => !own.includes(node))
    if (unroutable !== undefined)
      throw new RouterFault(is.connects, `start of job ${of} returned unroutable: ${unroutable}`)
    if (claim === 'none' && (kind === 'start' || kind === 'end') && entries.length > 0)
      throw new RouterFault(is.none, `${kind} of job ${of} returned ${entries.length} switches with entries`)
    if (claim === 'own' && kind === 'start') {
      const node = other(entries, nodes)
      if (node !== undefined)
        throw new RouterFault(
          is.own,
          `start of job ${of} changed entries for node ${node}, which is not a node of the job`,
        )
    }
    for (const { job, entries: changed, unroutable: lost } of changes) {
      const held = job === undefined ? undefined : this.#running.get(job)
      if (job !== undefined && held === undefined)
        throw new RouterFault(is.own, `change named job ${JSON.stringify(job)}, which does not run`)
      if (claim !== 'own') {
        if (job === undefined ? lost !== undefined : changed.length > 0)
          throw new RouterFault(
            is.unroutable,
            'a change has either entries for the machine, or the job that lost its routes',
          )
        continue
      }
      const node = other(changed, held?.nodes ?? [])
      if (node !== undefined)
        throw new RouterFault(is.own, `change of job ${job ?? '(none)'} changed entries for node ${node}`)
    }
  }

  #put({ kind, nodes }: RouterCall, { entries }: Answer): void {
    const { changes } = this.#router.claims
    if (kind !== 'end' || changes === 'any') this.#fold.put(entries)
    else if (changes === 'own') this.#fold.takeBack(nodes)
  }

  #checkPorts(kind: RouterCall['kind'] | 'initial'): void {
    const { changes } = this.#router.claims
    const [first, second] = this.#instances.tables
    const check =
      kind === 'end' && changes === 'own'
        ? is.end
        : changes === 'none' && (kind === 'start' || kind === 'end')
          ? is.none
          : is.port
    this.#compare(first, check, 'by port()')
    this.#compare(second, is.same, 'by port() of another instance')
  }

  /** Follows all entries, and then the ways between the nodes of each running job. */
  #checkWays(call: RouterCall | undefined): void {
    const { topology } = this.#machine
    const { claims } = this.#router
    for (let node = 0; node < topology.nodes; node++) {
      const wrong = this.#fold.wrongEntry(node)
      if (wrong !== undefined) throw new RouterFault(is.loops, wrong)
    }
    for (const job of this.#running.values()) {
      if (claims.links === 'owned') this.#checkOwned(job)
      this.#checkConnected(call, job)
    }
    if (claims.changes !== 'own' && this.#failures.size === 0) this.#checkLeaves()
  }

  #checkOwned({ of, nodes, links }: RouterCall): void {
    for (const node of nodes)
      this.#fold.eachEntry(node, (sw, hop) => {
        if (hop.link < 0 || links[hop.linkLevel]?.includes(hop.link)) return
        throw new RouterFault(
          is.owned,
          `${sw} sends messages for node ${node} over ${linkName(hop)}, which job ${of} does not own`,
        )
      })
  }

  #checkConnected(call: RouterCall | undefined, job: RouterCall): void {
    if (unconnectedPair(this.#machine.topology, job, this.#usable(job)) !== undefined) return
    const { leafOfNode } = this.#machine.topology
    const hasFailures = this.#failures.size > 0
    const check = hasFailures ? is.failures : call?.kind === 'up' ? is.repair : is.connects
    const leaves = new Map(job.nodes.map((node) => [leafOfNode[node], node]))
    for (const [leaf, from] of leaves)
      for (const to of job.nodes) {
        const gap = this.#fold.gap(leaf, to, this.#working)
        if (gap !== undefined)
          throw new RouterFault(check, `node ${from} of job ${job.of} does not reach node ${to}: ${gap}`)
      }
  }

  #checkLeaves(): void {
    const { topology } = this.#machine
    for (let node = 0; node < topology.nodes; node++)
      for (let leaf = 0; leaf < topology.leaves && this.#fold.hasEntry(node); leaf++) {
        const gap = this.#fold.gap(leaf, node, this.#working)
        if (gap !== undefined) throw new RouterFault(is.whole, `leaf ${leaf} does not reach node ${node}: ${gap}`)
      }
  }

  /** Checks the jobs that a failure leaves without routes or a repair connects again, and the nodes in the messages. */
  #checkUnroutable({ changes }: Answer, before: ReadonlySet<string>): void {
    const named = new Map(
      changes.flatMap(({ job, unroutable }) => (unroutable === undefined ? [] : [[job!, unroutable] as const])),
    )
    for (const { job, unroutable } of changes)
      if (job !== undefined && unroutable === undefined) this.#named.delete(job)
    for (const of of named.keys()) this.#named.add(of)
    const lost = this.#lost()
    for (const of of lost)
      if (!before.has(of) && !named.has(of))
        throw new RouterFault(
          is.unroutable,
          `no working links connect the nodes of job ${of}, but no change named the job`,
        )
    const back = [...this.#named].find((of) => !lost.has(of) && !named.has(of))
    if (back !== undefined && this.#router.claims.changes !== 'own')
      throw new RouterFault(
        is.unroutable,
        `working links connect the nodes of job ${back} again, but no change named the job`,
      )
    for (const [of, message] of named) {
      const job = this.#running.get(of)!
      const pair = Array.from(message.matchAll(/\bnode (\d+)/g), ([, node]) => Number(node)).slice(0, 2)
      const isPair = pair.length === 2 && pair.every((node) => job.nodes.includes(node))
      if (!isPair || unconnectedPair(this.#machine.topology, { nodes: pair }, this.#usable(job)) === undefined)
        throw new RouterFault(
          is.unroutable,
          `job ${of}: ${JSON.stringify(message)}; expected a message that names two nodes of the job (node 3, node 9) that no working links connect`,
        )
    }
  }

  /** Returns the running jobs whose nodes no working links connect. */
  #lost(): ReadonlySet<string> {
    const jobs = [...this.#running.values()]
    const isLost = (job: RouterCall): boolean =>
      unconnectedPair(this.#machine.topology, job, this.#usable(job)) !== undefined
    return new Set(this.#failures.size === 0 ? [] : jobs.filter(isLost).map(({ of }) => of))
  }

  readonly #working: Usable = (level, link) => {
    for (const { links } of this.#failures.values()) if (links[level]?.includes(link)) return false
    return true
  }

  #usable({ links }: RouterCall): Usable {
    if (this.#router.claims.links === 'shared') return this.#working
    return (level, link) => links[level]?.includes(link) && this.#working(level, link)
  }
}
