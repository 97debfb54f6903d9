import type { Placement } from '../../contract.ts'
import { idsText, linksText } from '../plain.ts'
import type { Defect, Property, Question } from '../question.ts'
import { stateOf } from '../scene.ts'
import { relabeling } from '../relabeling.ts'
import { keys } from './keys.ts'
import { monotone } from './monotone.ts'
import { refusals } from './refusals.ts'
import { sizes } from './sizes.ts'
import { equalStates } from './equal-states.ts'

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
