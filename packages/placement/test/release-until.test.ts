import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commands, everything, CheckedStates, machines } from './commands.ts'

function atThatTime(...of: Parameters<typeof everything>): Record<string, unknown> {
  const { lastEndOnLeaf: _, endOfLink: __, freeNodesAtDecision: ___, ...others } = everything(...of)
  return others
}

function atPresent(...of: Parameters<typeof everything>): Record<string, unknown> {
  const { lastEndOnLeaf, endOfLink, freeNodesAtDecision } = everything(...of)
  return { lastEndOnLeaf, endOfLink, freeNodesAtDecision }
}

test('releaseUntil releases exactly the jobs with an estimated end up to the given time', () => {
  fc.assert(
    fc.property(machines, commands, fc.integer({ min: -1, max: 6 }), (machine, history, time) => {
      const { topology, states } = CheckedStates.after(machine, history)
      for (const { real } of states) {
        const atOnce = real.fork()
        atOnce.releaseUntil(time)
        const oneByOne = real.fork()
        for (const allocation of [...real.running].filter(({ estimatedEnd }) => estimatedEnd <= time))
          oneByOne.release(allocation)
        expect(atThatTime(topology, atOnce)).toEqual(atThatTime(topology, oneByOne))
        // `lastEndOnLeaf`, `endOfLink` and `freeNodesAtDecision` have the same values as in the origin.
        expect(atPresent(topology, atOnce)).toEqual(atPresent(topology, real))
        expect(atOnce.running).toEqual(oneByOne.running)
        oneByOne.drop()
        atOnce.drop()
      }
    }),
  )
})
