import { resourcesText } from '../plain.ts'
import type { Defect, Property, Question } from '../question.ts'
import { someResources } from '../some-resources.ts'
import { equalStates } from './equal-states.ts'

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
