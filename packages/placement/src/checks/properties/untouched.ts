import { isDeepStrictEqual } from 'node:util'
import type { Defect, Property } from '../question.ts'
import { plain } from '../plain.ts'
import { stateOf } from '../scene.ts'

/** Property of the basis: after a change of the state, every later answer would look wrong. */
export const untouched: Property = {
  name: 'place changes neither the state nor its index, and answers a repeated request equally',
  standsOn: [],
  isBasis: true,
  applies: () => true,
  defect({ subject: { topology }, asker, scene, state, request, outcome }) {
    const again = plain(asker.ask(state, scene, request))
    if (again !== plain(outcome)) {
      return {
        message: `the policy answers the repeated request with ${again}; expected the first answer, ${plain(outcome)}`,
        test: ['expect(ask(placer, state, asked)).toEqual(outcome)'],
      }
    }
    // The request is asked in a new state, too, because the call above may have made a change that a second call does
    // not make.
    const { placer } = asker
    const fresh = stateOf(placer, topology, scene)
    const before = fresh.fork()
    const isIndexRebuilt = (): boolean => isDeepStrictEqual(fresh.index, placer.index?.build(fresh))
    const wasRebuilt = isIndexRebuilt()
    asker.ask(fresh, scene, request)
    if (!fresh.isEqual(before)) return changed('the state')
    return wasRebuilt && !isIndexRebuilt() ? changed('the index') : undefined
  },
}

function changed(what: 'the state' | 'the index'): Defect {
  return {
    message: `place changed ${what}`,
    test: [
      'const before = state.fork()',
      'ask(placer, state, asked)',
      what === 'the state'
        ? 'expect(state.isEqual(before)).toBe(true)'
        : 'expect(state.index).toEqual(placer.index?.build(state))',
    ],
  }
}
