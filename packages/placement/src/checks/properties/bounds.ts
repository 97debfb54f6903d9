import { resized } from '../draws.ts'
import { equalStates } from './repeats.ts'
import type { Defect, Property, Question } from '../questions.ts'

export const mostNodes: Property = {
  name: 'mostNodes: requests for more than mostNodes nodes are refused',
  standsOn: [equalStates.name],
  applies: ({ placer }) => placer.mostNodes !== undefined,
  defect({ asker, scene, state, request, outcome, draw }) {
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
    // A placement has free nodes only, so no size above the number of free nodes can be placed.
    const first = Math.max(0, Math.floor(most)) + 1
    const beyond = state.freeNodes - first
    if (beyond < 0 || (outcome.ok && draw.once(2))) return undefined
    const larger = resized(request, draw.pick([first, first + draw.below(beyond + 1), state.freeNodes]))
    if (!asker.ask(state, scene, larger).ok) return undefined
    return { message: message(larger.nodes), test, request: larger }
  },
}

export const mostNodesBeside: Property = {
  name: 'mostNodesBeside: beside a larger job, the second job is refused',
  isForHistories: true,
  standsOn: [equalStates.name],
  applies: ({ placer }) => placer.mostNodesBeside !== undefined,
  defect(question) {
    const { outcome, scene, state, draw } = question
    if (!outcome.ok) return undefined
    const ended = draw.below(scene.running.length + 1)
    const later = state.fork()
    later.releaseFirst(ended)
    const { freeNodes } = later
    const sizes = [1 + draw.below(freeNodes), 1 + draw.below(freeNodes), freeNodes - outcome.nodes.length]
    let defect: Defect | undefined
    for (const head of sizes) defect ??= head < 1 ? undefined : placedBeside(question, later, ended, head)
    later.drop()
    return defect
  },
}

/** @param later fork of the state after the ends of the first `ended` running jobs; equal after the call */
function placedBeside(
  { asker, scene, state, request, outcome }: Question,
  later: Question['state'],
  ended: number,
  head: number,
): Defect | undefined {
  if (!outcome.ok) return undefined
  const most: unknown = asker.placer.mostNodesBeside!(state, state.index, later, later.index, head)
  const test = [
    'const later = state.fork()',
    `later.releaseFirst(${ended})`,
    `const most = placer.mostNodesBeside?.(state, state.index, later, later.index, ${head})`,
  ]
  if (typeof most !== 'number' || Number.isNaN(most))
    return {
      message: `mostNodesBeside returned ${String(most)}, expected a number`,
      test: [...test, 'expect(most).toBeGreaterThanOrEqual(0)'],
    }
  if (request.nodes <= most) return undefined
  const beside = later.fork()
  beside.withhold(outcome, outcome.bandwidth)
  const ahead = [...scene.ahead, ...scene.running.slice(0, ended)]
  const withheld = [...scene.withheld, outcome]
  const second = asker.ask(
    beside,
    { ...scene, ahead, running: scene.running.slice(ended), withheld },
    resized(request, head),
  )
  beside.drop()
  if (!second.ok) return undefined
  return {
    message: `the policy places ${request.nodes} nodes, and beside them ${head} nodes after the ends of ${ended} jobs, but mostNodesBeside returned ${most}; expected at least ${request.nodes}`,
    test: [
      ...test,
      'if (outcome.ok) later.withhold(outcome, outcome.bandwidth)',
      `const second = ask(placer, later, { ...asked, nodes: ${head} })`,
      'expect(second.ok ? most : Infinity).toBeGreaterThanOrEqual(asked.nodes)',
    ],
  }
}
