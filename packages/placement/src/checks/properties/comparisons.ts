import { drawOther, relabeling, resized, someResources } from '../draws.ts'
import { refusals, sizes } from './answers.ts'
import { equalStates } from './repeats.ts'
import type { Defect, Property, Question } from '../questions.ts'
import { idsText, linksText, plain, requestText, resourcesText, stateOf } from '../scenes.ts'
import { largestLeaf } from '../subjects.ts'
import type { Placement, Placer, Request } from '../../contract.ts'

export const keys: Property = {
  name: 'monotone: requests with equal keys are refused together',
  isForHistories: true,
  standsOn: [equalStates.name],
  applies: ({ placer }) => placer.claims.monotone,
  defect({ subject: { topology }, asker, scene, state, request, outcome, draw }) {
    if (outcome.ok || outcome.code === 'search-bound') return undefined
    const other = drawOther(draw, request, topology.nodes)
    const key = keyOf(asker.placer, request)
    if (key === undefined || keyOf(asker.placer, other) !== key) return undefined
    if (!asker.ask(state, scene, other).ok) return undefined
    return {
      message: `the request is refused, but the request ${JSON.stringify(other)} with the same key ${JSON.stringify(key)} gets a placement`,
      test: [`expect(ask(placer, state, ${requestText(other)}).ok).toBe(outcome.ok)`],
    }
  },
}

/** Returns the key under which the scheduler remembers a refusal; undefined if the scheduler does not remember it. */
function keyOf(placer: Placer<any>, request: Request): string | number | undefined {
  return placer.requestKey === undefined ? String(request.nodes) : placer.requestKey(request)
}

export const placedByKey: Property = {
  name: 'placesByKey: requests with equal keys and purposes get equal placements',
  isForHistories: true,
  standsOn: [equalStates.name],
  applies: ({ placer }) => placer.placesByKey === true,
  defect({ subject: { topology }, asker, scene, state, request, outcome, draw }) {
    if (!outcome.ok) return undefined
    const other = { ...drawOther(draw, request, topology.nodes), purpose: request.purpose }
    const key = keyOf(asker.placer, request)
    if (key === undefined || keyOf(asker.placer, other) !== key) return undefined
    const answer = asker.ask(state, scene, other)
    if (plain(answer) === plain(outcome)) return undefined
    return {
      message: `the request ${JSON.stringify(other)} with the same key ${JSON.stringify(key)} gets ${plain(answer)}; expected the placement of the first request, ${plain(outcome)}`,
      test: [`expect(ask(placer, state, ${requestText(other)})).toEqual(outcome)`],
    }
  },
}

export const monotone: Property = {
  name: 'monotone: a refused request is also refused when less is free',
  isForHistories: true,
  standsOn: [equalStates.name],
  applies: ({ placer }) => placer.claims.monotone,
  defect: (question) => (question.outcome.ok ? refusedWithMore(question) : placedWithLess(question)),
}

function placedWithLess({ subject, asker, scene, state, request, draw }: Question): Defect | undefined {
  const withheld = someResources(subject.topology, draw, 3)
  const less = state.fork()
  less.withhold(withheld)
  const outcome = asker.ask(less, { ...scene, withheld: [...scene.withheld, withheld] }, request)
  less.drop()
  if (!outcome.ok) return undefined
  return {
    message: `the policy refuses ${request.nodes} nodes, but places ${request.nodes} nodes when fewer resources are free`,
    test: [
      'const less = state.fork()',
      `less.withhold(${resourcesText(withheld)})`,
      'expect(ask(placer, less, asked).ok && !outcome.ok).toBe(false)',
    ],
  }
}

/** Tests that the policy still places a placed request if some running jobs have ended. */
function refusedWithMore({ asker, scene, state, request, draw }: Question): Defect | undefined {
  if (scene.running.length === 0) return undefined
  const ended = 1 + draw.below(scene.running.length)
  const more = state.fork()
  more.releaseFirst(ended)
  const ahead = [...scene.ahead, ...scene.running.slice(0, ended)]
  const outcome = asker.ask(more, { ...scene, ahead, running: scene.running.slice(ended) }, request)
  more.drop()
  if (outcome.ok || outcome.code === 'search-bound') return undefined
  return {
    message: `the policy places ${request.nodes} nodes, but refuses ${request.nodes} nodes when ${ended} of the running jobs have ended`,
    test: [
      'const more = state.fork()',
      `more.releaseFirst(${ended})`,
      'expect(!ask(placer, more, asked).ok && outcome.ok).toBe(false)',
    ],
  }
}

/**
 * A class of placements may lack sizes on some machines, for example sizes that the links of a tapered machine cannot
 * serve. So the property doubts only a size of at most one leaf between two placed sizes.
 */
export const everySize: Property = {
  name: 'complete: the empty machine has no gap between the sizes that one leaf can place',
  standsOn: [sizes.name, refusals.name, equalStates.name, monotone.name, keys.name],
  applies: ({ placer }) => placer.claims.complete,
  isForSizes: true,
  defect({ subject: { topology, placedSizes }, asker, scene, state, request, outcome }) {
    const { nodes } = request
    if (outcome.ok || nodes > largestLeaf(topology) || !placedSizes.has(nodes)) return undefined
    const isPlaced = (size: number): boolean => size >= 1 && asker.ask(state, scene, resized(request, size)).ok
    if (!isPlaced(nodes - 1) || !isPlaced(nodes + 1)) return undefined
    return {
      message: `the policy refuses ${nodes} nodes on the empty machine with ${outcome.code}, but places ${nodes - 1} and ${nodes + 1} nodes, and places ${nodes} nodes on another empty machine`,
      test: ['expect(outcome.ok).toBe(true)'],
    }
  },
}

/**
 * The suite does not know a policy's class of placements, so it cannot test every state. But each placement that the
 * policy returned belongs to the class, and so does its image if equal subtrees are exchanged.
 */
export const complete: Property = {
  name: 'complete: a granted placement is found again if nothing else is free, also on equal subtrees',
  standsOn: [everySize.name],
  applies: ({ placer }) => placer.claims.complete,
  costs: true,
  defect(question) {
    const { outcome } = question
    if (!outcome.ok) return refusedWhatFits(question)
    const times = question.subject.topology.nodes > SMALL ? IMAGES : 1
    for (let time = 0; time < times; time++) {
      const defect = refusedElsewhere(question, outcome)
      if (defect !== undefined) return defect
    }
    return undefined
  },
}

/** On a machine of more than `SMALL` nodes, a rare test of a placement asks about this number of images. */
const SMALL = 60
const IMAGES = 3

function refusedElsewhere({ subject, asker, request, draw }: Question, placement: Placement): Defect | undefined {
  const { topology, options } = subject
  const isMoved = options.symmetric !== false && topology.pgft !== undefined && !draw.once(3)
  const { node, link } = relabeling(topology, isMoved ? draw : undefined)
  const without = (count: number, ids: ArrayLike<number>, image: (id: number) => number): Array<number> => {
    const isIn = new Uint8Array(count)
    for (let at = 0; at < ids.length; at++) isIn[image(ids[at])] = 1
    const rest: Array<number> = []
    for (let id = 0; id < count; id++) if (isIn[id] === 0) rest.push(id)
    return rest
  }
  const withheld = {
    nodes: without(topology.nodes, placement.nodes, node),
    links: topology.levels.map(({ links }, level) => without(links, placement.links[level] ?? [], link(level))),
  }
  const scene = { running: [], ahead: [], down: [], withheld: [withheld] }
  const outcome = asker.ask(stateOf(asker.placer, topology, scene), scene, request)
  if (outcome.ok) return undefined
  const placed = `nodes ${idsText(placement.nodes)} with links ${linksText(placement.links)}`
  return {
    message: `the policy refuses ${request.nodes} nodes if only the resources of its earlier placement are free${isMoved ? ', moved to equal subtrees (option symmetric)' : ''} (${placed})`,
    test: ['expect(outcome).toMatchObject({ ok: true })'],
    scene,
  }
}

function refusedWhatFits({ subject: { topology, options }, state, request }: Question): Defect | undefined {
  if (options.mustPlace?.(topology, state, request) !== true) return undefined
  return {
    message: `the policy refuses ${request.nodes} nodes, but the option mustPlace says that the state has a placement`,
    test: ['expect(outcome).toMatchObject({ ok: true })'],
  }
}

export const anyFreeNodes: Property = {
  name: 'anyFreeNodes: a request for at most as many nodes as are free gets a placement',
  isForHistories: true,
  standsOn: [sizes.name, refusals.name, equalStates.name, monotone.name, keys.name, everySize.name, complete.name],
  applies: ({ placer }) => placer.claims.anyFreeNodes === true,
  defect({ state, request, outcome }) {
    if (outcome.ok || request.nodes > state.freeNodes) return undefined
    return {
      message: `the policy refuses ${request.nodes} nodes with ${outcome.code}, but ${state.freeNodes} nodes are free`,
      test: ['expect(outcome).toMatchObject({ ok: true })'],
    }
  },
}
