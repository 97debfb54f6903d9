import { isDeepStrictEqual } from 'node:util'
import type { ClusterState } from '../../state.ts'
import type { Defect, Property } from '../question.ts'
import { resourcesText } from '../plain.ts'
import { someResources } from '../some-resources.ts'

export const index: Property = {
  name: 'the index equals a rebuilt one, on forks with withheld resources too',
  standsOn: [],
  applies: ({ placer }) => placer.index !== undefined,
  costs: true,
  defect({ subject: { topology }, asker: { placer }, state, draw }) {
    const isRebuilt = (one: ClusterState<any>): boolean => isDeepStrictEqual(one.index, placer.index!.build(one))
    if (!isRebuilt(state)) return differs('the index differs from a rebuilt one', [], 'state')
    const fork = state.fork()
    const withheld = someResources(topology, draw, 4)
    const forking = ['const fork = state.fork()']
    try {
      if (!isRebuilt(fork)) return differs('the index of a fork differs from a rebuilt one', forking, 'fork')
      forking.push(`fork.withhold(${resourcesText(withheld)})`)
      fork.withhold(withheld)
      if (!isRebuilt(fork))
        return differs('the index differs from a rebuilt one after resources were withheld', forking, 'fork')
    } finally {
      fork.drop()
    }
    return isRebuilt(state) ? undefined : differs('work on a fork changed the index of the state', forking, 'state')
  },
}

function differs(message: string, before: ReadonlyArray<string>, of: string): Defect {
  return { message, test: [...before, `expect(${of}.index).toEqual(placer.index!.build(${of}))`] }
}
