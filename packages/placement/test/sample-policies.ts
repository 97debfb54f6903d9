import { isFullBisection, type Topology } from '@cloister/topology'
import type {
  Claims,
  IndexHooks,
  Outcome,
  Placement,
  PlacementPolicy,
  Placer,
  Refusal,
  Request,
} from '../src/contract.ts'
import type { StateView } from '../src/view.ts'
import { range } from './naive-state.ts'

/** A small policy that keeps every claim. Tests break one claim at a time. */
export type Policy = PlacementPolicy<any, any>
type Place = (topology: Topology, state: StateView, request: Request, index: any) => Outcome

/** Differences of a broken policy from the correct policy. */
export interface Break {
  readonly policy?: Partial<Record<keyof Policy, unknown>>
  readonly claims?: Partial<Claims>
  readonly linkCapacity?: number
  readonly place?: (good: Place) => Place
  readonly index?: (topology: Topology) => IndexHooks<any>
  readonly requestKey?: (request: Request) => string | number
  readonly placesByKey?: boolean
  readonly mostNodes?: (state: StateView) => number
  readonly mostNodesBeside?: Placer<any>['mostNodesBeside']
  readonly unsupported?: (topology: Topology) => string | undefined
}

export const anyObject: Policy['config'] = {
  '~standard': {
    version: 1,
    vendor: 'sample',
    validate: (value) =>
      typeof value === 'object' && value !== null ? { value } : { issues: [{ message: 'expected an object' }] },
  },
}

function sample(
  name: string,
  claims: Claims,
  place: Place,
  unsupported: (topology: Topology) => string | undefined,
  broken: Break,
): Policy {
  const chosen = broken.place?.(place) ?? place
  return {
    contract: 1,
    name,
    version: '1.0.0',
    config: anyObject,
    make: (topology: Topology): Placer<any> | { readonly unsupported: string } => {
      const reason = (broken.unsupported ?? unsupported)(topology)
      if (reason !== undefined) return { unsupported: reason }
      return {
        claims: { ...claims, ...broken.claims },
        place: (state, request, index) => chosen(topology, state, request, index),
        ...(broken.linkCapacity === undefined ? {} : { linkCapacity: broken.linkCapacity }),
        ...(broken.requestKey === undefined ? {} : { requestKey: broken.requestKey }),
        ...(broken.placesByKey === undefined ? {} : { placesByKey: broken.placesByKey }),
        ...(broken.mostNodes === undefined ? {} : { mostNodes: broken.mostNodes }),
        ...(broken.mostNodesBeside === undefined ? {} : { mostNodesBeside: broken.mostNodesBeside }),
        ...(broken.index === undefined ? {} : { index: broken.index(topology) }),
      }
    },
    ...broken.policy,
  } as Policy
}

/** Returns a policy that takes the first free nodes and shares links. */
export function firstNodes(broken: Break = {}): Policy {
  const claims: Claims = {
    links: 'shared',
    fullBandwidth: false,
    exactSize: true,
    monotone: true,
    complete: true,
    speedupScenarios: false,
  }
  return sample(
    'first-nodes',
    claims,
    (topology, state, { nodes }) => {
      return tooFew(topology, state, nodes) ?? { ok: true, nodes: firstFree(topology, state, nodes), links: [] }
    },
    () => undefined,
    broken,
  )
}

/** Returns `firstNodes` with an index of the free nodes of each leaf and the free up-ports of each L2 switch. */
export function countedNodes(broken: Break = {}): Policy {
  return firstNodes({ index: countHooks, ...broken })
}

interface Counts {
  readonly leaves: Array<number>
  readonly l2: Array<number>
}

export function countHooks({ leaves, levels }: Topology): IndexHooks<Counts> {
  return {
    build: (state) => ({
      leaves: range(0, leaves).map((leaf) => state.freeNodesOnLeaf(leaf)),
      l2: range(0, levels[1]?.switches ?? 0).map((sw) => state.portMask(1, sw, 0)),
    }),
    copy(from, into) {
      from.leaves.forEach((free, leaf) => {
        into.leaves[leaf] = free
      })
      from.l2.forEach((mask, sw) => {
        into.l2[sw] = mask
      })
    },
    changed(index, state, changedLeaves, upper) {
      for (const leaf of Array.from(changedLeaves)) index.leaves[leaf] = state.freeNodesOnLeaf(leaf)
      for (const sw of Array.from(upper)) index.l2[sw] = state.portMask(1, sw, 0)
    },
  }
}

/** Returns a policy that takes the first free nodes and every link of the machine. Only one job can run at a time. */
export function wholeMachine(broken: Break = {}): Policy {
  const claims: Claims = {
    links: 'owned',
    fullBandwidth: true,
    exactSize: true,
    monotone: true,
    complete: true,
    speedupScenarios: true,
  }
  return sample(
    'whole-machine',
    claims,
    (topology, state, { nodes }) => {
      const links = allLinks(topology)
      if (!links.every((ids, level) => ids.every((link) => isLinkFree(topology, state, level, link))))
        return refused('every link free')
      return tooFew(topology, state, nodes) ?? { ok: true, nodes: firstFree(topology, state, nodes), links }
    },
    (topology) => (isFullBisection(topology) ? undefined : 'it has fewer links up than down'),
    broken,
  )
}

/** Returns a policy that takes the first free nodes and the requested bandwidth on every link. */
export function sharedMachine(broken: Break = {}): Policy {
  const claims: Claims = {
    links: 'capped',
    fullBandwidth: false,
    exactSize: true,
    monotone: true,
    complete: true,
    speedupScenarios: false,
  }
  return sample(
    'shared-machine',
    claims,
    (topology, state, { nodes, bandwidth }) => {
      const links = allLinks(topology)
      if (!links.every((ids, level) => ids.every((link) => state.capacityLeft(level, link) >= bandwidth!)))
        return refused('bandwidth')
      return (
        tooFew(topology, state, nodes) ?? {
          ok: true,
          nodes: firstFree(topology, state, nodes),
          links,
          bandwidth: bandwidth!,
        }
      )
    },
    () => undefined,
    { linkCapacity: 4000, requestKey: ({ nodes, bandwidth }) => `${nodes} ${bandwidth}`, ...broken },
  )
}

/**
 * Returns a policy that places three fifths of each job on leaf 0, the rest on leaf 1. A job owns one uplink for each
 * node. `pick` chooses the uplinks of the second leaf.
 */
export function firstTwoLeaves(
  pick: (ports: ReadonlyArray<number>, most: number, others: number) => ReadonlyArray<number>,
): Policy {
  const claims: Claims = {
    links: 'owned',
    fullBandwidth: true,
    exactSize: true,
    monotone: true,
    complete: true,
    speedupScenarios: true,
  }
  return sample(
    'first-two-leaves',
    claims,
    (topology, state, { nodes }) => {
      if (nodes > topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
      const most = Math.ceil((3 * nodes) / 5)
      const [first, second] = [0, 1].map((leaf) =>
        firstFree(topology, state, Infinity).filter((node) => topology.leafOfNode[node] === leaf),
      )
      const ports = linksOf(topology, 0)
      if (nodes === most || first.length < most || second.length < nodes - most || ports.length < most)
        return refused('nodes on two leaves')
      const links = [...ports.slice(0, most), ...pick(linksOf(topology, 1), most, nodes - most)]
      if (!links.every((link) => isLinkFree(topology, state, 0, link))) return refused('uplinks')
      return { ok: true, nodes: [...first.slice(0, most), ...second.slice(0, nodes - most)], links: [links] }
    },
    ({ pgft }) =>
      pgft !== undefined && pgft.m.length > 1 && pgft.p.every((cables) => cables === 1)
        ? undefined
        : 'it has no two leaves with single cables',
    {},
  )
}

/** Picks uplinks of the second leaf to L2 switches that the job uses from the first leaf, too. */
export function toSameL2(ports: ReadonlyArray<number>, _: number, others: number): ReadonlyArray<number> {
  return ports.slice(0, others)
}

export function allLinks(topology: Topology): Array<Array<number>> {
  return topology.levels.map(({ links }) => range(0, links))
}

export function firstFree(topology: Topology, state: StateView, count: number): Array<number> {
  const free: Array<number> = []
  for (let node = 0; node < topology.nodes && free.length < count; node++) if (state.isNodeFree(node)) free.push(node)
  return free
}

export function isLinkFree({ levels }: Topology, state: StateView, level: number, link: number): boolean {
  const { firstPort } = levels[level]
  const likely = Math.floor(link / firstPort[1])
  const isLikely = firstPort[likely] <= link && link < firstPort[likely + 1]
  const sw = isLikely ? likely : firstPort.findLastIndex((first) => first <= link)
  const port = link - firstPort[sw]
  return ((state.portMask(level, sw, port >>> 5) >>> (port & 31)) & 1) === 1
}

export function refused(constraint: string): Refusal {
  return { ok: false, code: 'no-placement', constraint }
}

function linksOf(topology: Topology, leaf: number): Array<number> {
  const { firstPort } = topology.levels[0]
  return range(firstPort[leaf], firstPort[leaf + 1])
}

function tooFew(topology: Topology, state: StateView, nodes: number): Refusal | undefined {
  if (nodes > topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
  return nodes > state.freeNodes ? { ok: false, code: 'too-few-nodes', free: state.freeNodes } : undefined
}

/** Returns a function `place` that changes every placement of the good policy. */
export function placing(
  change: (placement: Placement, topology: Topology, state: StateView, request: Request) => Outcome,
): NonNullable<Break['place']> {
  return (good) => (topology, state, request, index) => {
    const outcome = good(topology, state, request, index)
    return outcome.ok ? change(outcome, topology, state, request) : outcome
  }
}

/** Returns a function `place` that changes every refusal of the good policy. */
export function refusing(
  change: (refusal: Refusal, topology: Topology, state: StateView, request: Request) => Outcome,
): NonNullable<Break['place']> {
  return (good) => (topology, state, request, index) => {
    const outcome = good(topology, state, request, index)
    return outcome.ok ? outcome : change(outcome, topology, state, request)
  }
}
