import { isDeepStrictEqual } from 'node:util'
import type { ClusterState } from '../../state.ts'
import type { Defect, Property } from '../question.ts'
import { resourcesText } from '../plain.ts'
import { someResources } from '../some-resources.ts'

export const index: Property = {
  name: 'the index of a state, or of a fork with withheld resources, equals a rebuilt index',
  standsOn: [],
  applies: ({ placer }) => placer.index !== undefined,
  costs: true,
  defect({ subject: { topology }, asker: { placer }, state, draw }) {
    const isRebuilt = (one: ClusterState<any>): boolean => isDeepStrictEqual(one.index, placer.index!.build(one))
    if (!isRebuilt(state)) return differs('the index of the state differs from a rebuilt index', [], 'state')
    const fork = state.fork()
    const withheld = someResources(topology, draw, 4)
    const forking = ['const fork = state.fork()']
    try {
      if (!isRebuilt(fork)) return differs('the index of a fork differs from a rebuilt index', forking, 'fork')
      forking.push(`fork.withhold(${resourcesText(withheld)})`)
      fork.withhold(withheld)
      if (!isRebuilt(fork))
        return differs(
          'the index of a fork differs from a rebuilt index after resources were withheld',
          forking,
          'fork',
        )
    } finally {
      fork.drop()
    }
    return isRebuilt(state)
      ? undefined
      : differs('withholding resources on a fork changed the index of the original state', forking, 'state')
  },
}

function differs(message: string, before: ReadonlyArray<string>, of: string): Defect {
  return { message, test: [...before, `expect(${of}.index).toEqual(placer.index!.build(${of}))`] }
}
