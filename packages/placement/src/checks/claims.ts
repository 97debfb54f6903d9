import { isDeepStrictEqual } from 'node:util'
import { placementDefect } from '../allocation.ts'
import type { Outcome, Placement, Placer, Refusal, Request } from '../contract.ts'
import { isConnected } from './connected.ts'
import type { Draw } from './draw.ts'
import { contentsOf, type History, someResources } from './history.ts'
import { canRoute } from './rearrangeable.ts'
import { requestFor, type Subject } from './subject.ts'

/** One property of a policy, tried after each question of a random history. Throws an Error that says what is wrong. */
export interface Property {
  readonly name: string
  /** Whether the claims ask for it. */
  applies(subject: Subject): boolean
  /** A fresh one for each history, so that it may remember what it saw. */
  watch(subject: Subject, draw: Draw): (history: History, nodes: number, outcome: Outcome) => void
}

function fail(message: string): never {
  throw new Error(message)
}
const always = (): boolean => true

const onPlacement =
  (
    check: (subject: Subject, placement: Placement, nodes: number, history: History, draw: Draw) => void,
  ): Property['watch'] =>
  (subject, draw) =>
  (history, nodes, outcome) => {
    if (outcome.ok) check(subject, outcome, nodes, history, draw)
  }

/** All others stand on it: no history goes on from a placement that is none. */
export const placements: Property = {
  name: 'a placement names free nodes and links, ascending, each once',
  applies: always,
  watch: onPlacement((subject, placement, _, { state }) => {
    const defect = freePlacementDefect(subject, placement, state)
    if (defect !== undefined) fail(defect)
  }),
}

/** Why a placement cannot be had in a state, if so. */
export function freePlacementDefect(
  { topology, placer }: Subject,
  placement: Placement,
  state: History['state'],
): string | undefined {
  const defect = placementDefect(topology, placement)
  if (defect !== undefined) return defect
  for (const node of Array.from(placement.nodes)) if (!state.isNodeFree(node)) return `node ${node} is not free`
  const isCapped = placer.claims.links === 'capped'
  for (const [level, ids] of placement.links.entries()) {
    for (const link of Array.from(ids)) {
      if (!isCapped && !state.isLinkFree(level, link)) return `level-${level} link ${link} is not free`
      if (isCapped && state.capacityLeft(level, link) < (placement.bandwidth ?? Infinity))
        return `level-${level} link ${link} has too little bandwidth left`
    }
  }
  return undefined
}

const sizes: Property = {
  name: 'as many nodes as requested (exactSize), else at least as many',
  applies: always,
  watch: onPlacement(({ placer }, { nodes }, requested) => {
    const fits = placer.claims.exactSize ? nodes.length === requested : nodes.length >= requested
    if (!fits) fail(`${nodes.length} nodes for a request of ${requested}`)
  }),
}

const noLinks: Property = {
  name: 'links shared: no links are named',
  applies: ({ placer }) => placer.claims.links === 'shared',
  watch: onPlacement((_, { links }) => {
    if (links.some(({ length }) => length > 0)) fail('links are named though the policy claims to share them')
  }),
}

const connected: Property = {
  name: 'links owned or capped: the job is connected over the links that it names',
  applies: ({ placer }) => placer.claims.links === 'owned' || placer.claims.links === 'capped',
  watch: onPlacement(({ topology }, placement) => {
    if (!isConnected(topology, placement))
      fail(
        `nodes ${Array.from(placement.nodes).join(',')} are not connected by ${JSON.stringify(placement.links.map((ids) => Array.from(ids)))}`,
      )
  }),
}

const SMALL = 9
const CHOICES = 20_000
const fullBandwidth: Property = {
  name: 'full bandwidth: random permutations of small jobs have routes with one flow a link',
  applies: ({ placer }) => placer.claims.fullBandwidth,
  watch: onPlacement(({ topology }, placement, _, __, draw) => {
    if (placement.nodes.length > SMALL) return
    const permutation = Array.from({ length: placement.nodes.length }, (_, at) => at)
    for (let at = permutation.length - 1; at > 0; at--) {
      const other = draw.below(at + 1)
      ;[permutation[at], permutation[other]] = [permutation[other], permutation[at]]
    }
    if (canRoute(topology, placement, permutation, CHOICES) === false) {
      fail(
        `permutation ${permutation.join(',')} of nodes ${Array.from(placement.nodes).join(',')} has no routes without contention over ${JSON.stringify(placement.links.map((ids) => Array.from(ids)))}`,
      )
    }
  }),
}

/** All others stand on it: what a policy has spoilt itself would be blamed on what it says next. */
export const untouched: Property = {
  name: 'placing leaves the state and its index as they were, and answers the same when asked again',
  applies: always,
  watch:
    ({ placer }) =>
    (history, nodes, outcome) => {
      sameOutcome(placer.place(history.state, requestFor(nodes), history.state.index), outcome, 'asked again')
      // In a state that was never asked: what a first question spoils, a second one may find spoilt already.
      const fresh = history.retold()
      const before = contentsOf(fresh)
      const index = placer.index?.build(fresh)
      placer.place(fresh, requestFor(nodes), index)
      if (contentsOf(fresh) !== before) fail('the state changed')
      if (!isDeepStrictEqual(index, placer.index?.build(fresh))) fail('the index changed')
    },
}

const KEPT = 4
const kept: Property = {
  name: 'a placement is for keeps: the policy never writes to its arrays again',
  applies: always,
  watch: () => {
    const given: Array<{ readonly placement: Placement; readonly was: string }> = []
    return (_, __, outcome) => {
      for (const { placement, was } of given)
        if (plain(placement) !== was) fail(`placement ${was} was changed afterwards to ${plain(placement)}`)
      if (outcome.ok) given.push({ placement: outcome, was: plain(outcome) })
      if (given.length > KEPT) given.shift()
    }
  },
}

const equalStates: Property = {
  name: 'equal states give equal answers, forks and other placers included',
  applies: always,
  watch:
    ({ anotherPlacer }) =>
    (history, nodes, outcome) => {
      const retold = history.retold()
      sameOutcome(
        anotherPlacer().place(retold, requestFor(nodes), retold.index),
        outcome,
        'in an equal state with another history',
      )
      const fork = history.state.fork()
      sameOutcome(anotherPlacer().place(fork, requestFor(nodes), fork.index), outcome, 'on a fork')
      fork.drop()
    },
}

const index: Property = {
  name: 'the index equals a rebuilt one, on forks with withheld resources too',
  applies: ({ placer }) => placer.index !== undefined,
  watch:
    (subject, draw) =>
    ({ state }) => {
      const { index } = subject.placer
      if (!isDeepStrictEqual(state.index, index!.build(state))) fail('the index differs from a rebuilt one')
      const fork = state.fork()
      if (!isDeepStrictEqual(fork.index, index!.build(state))) fail('the index of a fork differs from a rebuilt one')
      fork.withhold(someResources(subject, draw, 4))
      if (!isDeepStrictEqual(fork.index, index!.build(fork)))
        fail('the index differs from a rebuilt one after resources were withheld')
      fork.drop()
      if (!isDeepStrictEqual(state.index, index!.build(state))) fail('work on a fork changed the index of the state')
    },
}

const refusals: Property = {
  name: 'refusals are well-formed and true',
  applies: always,
  watch:
    ({ topology, placer }) =>
    (history, nodes, outcome) => {
      if (outcome.ok) return
      const defect = refusalDefect(outcome)
      if (defect !== undefined) fail(defect)
      if (outcome.code === 'too-few-nodes' && outcome.free !== history.state.freeNodes)
        fail(`says ${outcome.free} nodes are free; there are ${history.state.freeNodes}`)
      if (outcome.code === 'too-few-nodes' && placer.claims.exactSize && outcome.free >= nodes)
        fail(`too few nodes for ${nodes}, but ${outcome.free} are free`)
      if (nodes > topology.nodes && outcome.code === 'search-bound')
        fail('a request larger than the machine needs no search')
      if (placer.claims.complete && outcome.code === 'search-bound') fail('a complete policy gave up its search')
    },
}

const monotone: Property = {
  name: 'monotone: refused with less free too',
  applies: ({ placer }) => placer.claims.monotone,
  watch: (subject, draw) => (history, nodes, outcome) => {
    if (outcome.ok) return
    const fork = history.state.fork()
    fork.withhold(someResources(subject, draw, 3))
    const less = subject.placer.place(fork, requestFor(nodes), fork.index)
    fork.drop()
    if (less.ok) fail(`${nodes} nodes are refused, but granted when less is free`)
  },
}

const keys: Property = {
  name: 'monotone: requests of one key are refused together',
  applies: ({ placer }) => placer.claims.monotone,
  watch:
    ({ topology, placer }, draw) =>
    ({ state }, nodes, outcome) => {
      if (outcome.ok || outcome.code === 'search-bound') return
      const request = requestFor(nodes)
      const other: Request = {
        ...request,
        purpose: draw.pick(['start', 'reserve', 'backfill']),
        nodes: draw.pick([nodes, 1 + draw.below(topology.nodes)]),
        submitted: draw.pick([0, request.submitted]),
        estimate: draw.pick([undefined, 60_000]),
        bandwidth: draw.pick([undefined, 1, 500, 2000]),
        communication: draw.pick([undefined, request.communication]),
      }
      const key = keyOf(placer, request)
      if (key === undefined || keyOf(placer, other) !== key) return
      if (placer.place(state, other, state.index).ok)
        fail(`refused, but its key ${JSON.stringify(key)} is also that of ${JSON.stringify(other)}, which is granted`)
    },
}

const complete: Property = {
  name: 'complete: what was granted once is not refused while all of it is free',
  applies: ({ placer }) => placer.claims.complete,
  watch: () => {
    const granted = new Map<number, Array<Placement>>()
    return (history, nodes, outcome) => {
      const known = granted.get(nodes) ?? []
      granted.set(nodes, known)
      if (outcome.ok) known.push(outcome)
      else if (known.some((placement) => history.state.isFree(placement, placement.bandwidth)))
        fail(`${nodes} nodes are refused, but a placement that the policy has chosen before is free`)
    }
  },
}

/** All that stand on the two above, in the order in which a policy's author would want to know. */
export const properties: ReadonlyArray<Property> = [
  sizes,
  noLinks,
  connected,
  fullBandwidth,
  refusals,
  kept,
  equalStates,
  index,
  monotone,
  keys,
  complete,
]

/** What a refusal is remembered under; undefined: it is not. */
function keyOf(placer: Placer<any>, request: Request): string | number | undefined {
  return placer.requestKey === undefined ? String(request.nodes) : placer.requestKey(request)
}

function sameOutcome(actual: Outcome, expected: Outcome, when: string): void {
  if (plain(actual) !== plain(expected)) fail(`${when}: ${plain(actual)} instead of ${plain(expected)}`)
}

function plain(outcome: Outcome): string {
  if (!outcome.ok) return JSON.stringify(outcome)
  return JSON.stringify({
    ...outcome,
    nodes: Array.from(outcome.nodes),
    links: outcome.links.map((ids) => Array.from(ids)),
    ranks: outcome.ranks && Array.from(outcome.ranks),
  })
}

function refusalDefect(refusal: Refusal): string | undefined {
  switch (refusal.code) {
    case 'too-few-nodes':
      return Number.isInteger(refusal.free) ? undefined : 'too-few-nodes without the number of free nodes'
    case 'search-bound':
      return Number.isInteger(refusal.steps) ? undefined : 'search-bound without the number of steps'
    case 'no-placement':
    case 'never':
      return refusal.constraint.length > 0 ? undefined : `${refusal.code} without a constraint`
    default:
      return `unknown refusal ${JSON.stringify(refusal)}`
  }
}
