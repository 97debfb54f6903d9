import { drawOther, relabeling, someResources } from '../draws.ts'
import { refusals, sizes } from './answers.ts'
import { equalStates } from './repeats.ts'
import type { Defect, Property, Question } from '../questions.ts'
import { idsText, linksText, plain, requestText, resourcesText, stateOf } from '../scenes.ts'
import type { Placement, Placer, Request } from '../../contract.ts'

export const keys: Property = {
  name: 'monotone: requests with equal keys are refused together',
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
 * The suite does not know a policy's class of placements, so it cannot test every state. But each placement that the
 * policy returned belongs to the class, and so does its image if equal subtrees are exchanged.
 */
export const complete: Property = {
  name: 'complete: a granted placement is found again if nothing else is free, also on equal subtrees',
  standsOn: [sizes.name, refusals.name, equalStates.name, monotone.name, keys.name],
  applies: ({ placer }) => placer.claims.complete,
  costs: true,
  defect: (question) =>
    question.outcome.ok ? refusedElsewhere(question, question.outcome) : refusedWhatFits(question),
}

function refusedElsewhere({ subject, asker, request, draw }: Question, placement: Placement): Defect | undefined {
  const { topology, options } = subject
  const isMoved = options.symmetric !== false && topology.pgft !== undefined && !draw.once(3)
  const { node, link } = relabeling(topology, isMoved ? draw : undefined)
  const without = (count: number, ids: ArrayLike<number>, image: (id: number) => number): Array<number> => {
    const free = new Set(Array.from(ids, image))
    return Array.from({ length: count }, (_, id) => id).filter((id) => !free.has(id))
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

export const mostNodes: Property = {
  name: 'mostNodes: requests for more than mostNodes nodes are refused',
  standsOn: [equalStates.name],
  applies: ({ placer }) => placer.mostNodes !== undefined,
  defect({ subject: { topology }, asker, scene, state, request, outcome, draw }) {
    const most: unknown = asker.placer.mostNodes!(state, state.index)
    if (typeof most !== 'number' || Number.isNaN(most))
      return {
        message: `mostNodes returned ${String(most)}, expected a number`,
        test: ['expect(placer.mostNodes?.(state, state.index)).toBeGreaterThanOrEqual(0)'],
      }
    const test = [
      'expect(outcome.ok ? placer.mostNodes?.(state, state.index) : Infinity).toBeGreaterThanOrEqual(asked.nodes)',
    ]
    const message = (nodes: number): string =>
      `the policy places ${nodes} nodes, but mostNodes returned ${most}; expected at least ${nodes}`
    if (outcome.ok && request.nodes > most) return { message: message(request.nodes), test }
    const beyond = topology.nodes - Math.floor(most)
    if (outcome.ok || beyond <= 0) return undefined
    const larger = { ...request, nodes: Math.max(0, Math.floor(most)) + 1 + draw.below(beyond) }
    if (!asker.ask(state, scene, larger).ok) return undefined
    return { message: message(larger.nodes), test, request: larger }
  },
}
