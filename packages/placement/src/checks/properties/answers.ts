import { placementDefect } from '../../bind.ts'
import type { Defect, NoAnswer, Property, Question } from '../questions.ts'
import { idsText, stateOf } from '../scenes.ts'
import type { Placement, Refusal } from '../../contract.ts'
import type { ClusterState } from '../../state.ts'

/** `defect` finds nothing: if an answer is missing, `Asker` throws `NoAnswer`, and `play` reports the property. */
export const answers: Property = {
  name: 'every request gets an answer in time: a placement or a refusal',
  isBasis: true,
  defect: () => undefined,
}

export function defectOf({ message, question: { scene, request } }: NoAnswer): Defect {
  return { message, test: ['expect(outcomeDefect(outcome)).toBeUndefined()'], scene, request }
}

/** Property of the basis: a history cannot continue after an invalid placement. */
export const placements: Property = {
  name: 'a placement names free nodes and links, ascending, each once',
  isBasis: true,
  defect({ state, outcome }) {
    const message = outcome.ok ? freePlacementDefect(state, outcome) : undefined
    return message === undefined
      ? undefined
      : { message, test: ['expect(outcome.ok && freePlacementDefect(state, outcome)).toBeUndefined()'] }
  },
}

/**
 * Returns a message about the first fault of a placement in a state; undefined if it has none. Faults are those of
 * `placementDefect`, a node or link that is not free, and a link with too little bandwidth left.
 */
export function freePlacementDefect<Index>(state: ClusterState<Index>, placement: Placement): string | undefined {
  const defect = placementDefect(state.topology, placement)
  if (defect !== undefined) return defect
  for (const node of Array.from(placement.nodes))
    if (!state.isNodeFree(node)) return `node ${node} of the placement is not free`
  for (const [level, ids] of placement.links.entries()) {
    for (const link of Array.from(ids)) {
      if (state.linkCapacity === 0 && !state.isLinkFree(level, link))
        return `level-${level} link ${link} of the placement is not free`
      if (state.linkCapacity > 0 && state.capacityLeft(level, link) < (placement.bandwidth ?? Infinity))
        return `level-${level} link ${link} of the placement has ${state.capacityLeft(level, link)} MB/s left, less than the bandwidth of the placement`
    }
  }
  return undefined
}

export const sizes: Property = {
  name: 'a placement has exactly (exactSize) or at least as many nodes as requested',
  defect({ asker: { placer }, request, outcome }) {
    if (!outcome.ok) return undefined
    const { exactSize } = placer.claims
    const { length } = outcome.nodes
    if (exactSize ? length === request.nodes : length >= request.nodes) return undefined
    return {
      message: `the placement has ${length} nodes, but the request asks for ${request.nodes}`,
      test: [
        `expect(outcome.ok && outcome.nodes.length).${exactSize ? 'toBe' : 'toBeGreaterThanOrEqual'}(asked.nodes)`,
      ],
    }
  },
}

export const ranks: Property = {
  name: 'ranks: each node of a placement has one rank',
  defect({ outcome }) {
    if (!outcome.ok || outcome.ranks === undefined) return undefined
    const { length } = outcome.nodes
    const used = new Set(Array.from(outcome.ranks))
    if (outcome.ranks.length === length && used.size === length) return undefined
    return {
      message: `the placement has ${outcome.ranks.length} ranks on ${used.size} of its ${length} nodes; expected one rank on each node, as in ranks: [${idsText(outcome.nodes)}]`,
      test: [
        'expect(outcome.ok && outcome.ranks?.length).toBe(outcome.ok && new Set(Array.from(outcome.nodes)).size)',
        'expect(outcome.ok && new Set(outcome.ranks).size).toBe(outcome.ok && outcome.nodes.length)',
      ],
    }
  },
}

export const refusals: Property = {
  name: 'a refusal has the fields of its code, with true values',
  defect(question) {
    const { outcome } = question
    if (outcome.ok) return undefined
    const message = formDefect(outcome) ?? untruth(question, outcome)
    return message === undefined
      ? undefined
      : { message, test: [`expect(outcome).not.toEqual(${JSON.stringify(outcome)})`] }
  },
}

/** `outcomeDefect` has already found missing fields. */
function formDefect(refusal: Refusal): string | undefined {
  switch (refusal.code) {
    case 'too-few-nodes':
      return Number.isInteger(refusal.free)
        ? undefined
        : 'the refusal too-few-nodes has no integer in free; expected the number of free nodes'
    case 'search-bound':
      return Number.isInteger(refusal.steps)
        ? undefined
        : 'the refusal search-bound has no integer in steps; expected the number of steps'
    default:
      return refusal.constraint.length > 0
        ? undefined
        : `the refusal ${refusal.code} has an empty constraint; expected the failed condition`
  }
}

function untruth({ subject: { topology }, asker, state, request }: Question, refusal: Refusal): string | undefined {
  const { claims } = asker.placer
  if (refusal.code === 'too-few-nodes') {
    if (refusal.free !== state.freeNodes)
      return `the refusal too-few-nodes says that ${refusal.free} nodes are free, but ${state.freeNodes} are free`
    if (claims.exactSize && refusal.free >= request.nodes)
      return `the policy refuses ${request.nodes} nodes with too-few-nodes, but ${refusal.free} nodes are free`
  }
  if (refusal.code === 'never') {
    const scene = { running: [], ahead: [], down: [], withheld: [] }
    const isPlaced = asker.ask(stateOf(asker.placer, topology, scene), scene, request).ok
    return isPlaced
      ? 'the policy refuses the request with never, but places the request on the empty machine'
      : undefined
  }
  if (refusal.code === 'search-bound') {
    if (request.nodes > topology.nodes)
      return 'the policy refuses a request larger than the machine with search-bound; expected never or too-few-nodes'
    if (claims.complete) return 'the policy refuses the request with search-bound, but claims to be complete'
  }
  return undefined
}
