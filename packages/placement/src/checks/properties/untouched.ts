import { isDeepStrictEqual } from 'node:util'
import type { Defect, Property } from '../question.ts'
import { plain } from '../plain.ts'
import { stateOf } from '../scene.ts'

/** Property of the basis. If a policy changes the state, every later answer would look wrong. */
export const untouched: Property = {
  name: 'placing leaves the state and its index as they were, and answers the same when asked again',
  standsOn: [],
  isBasis: true,
  applies: () => true,
  defect({ subject: { topology }, asker, scene, state, request, outcome }) {
    const again = plain(asker.ask(state, scene, request))
    if (again !== plain(outcome)) {
      return {
        message: `asked again: ${again} instead of ${plain(outcome)}`,
        test: ['expect(ask(placer, state, asked)).toEqual(outcome)'],
      }
    }
    // Asks in a new state too, because the first question may have changed the state, and the second changes nothing
    // more.
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
    message: `${what} changed`,
    test: [
      'const before = state.fork()',
      'ask(placer, state, asked)',
      what === 'the state'
        ? 'expect(state.isEqual(before)).toBe(true)'
        : 'expect(state.index).toEqual(placer.index?.build(state))',
    ],
  }
}
