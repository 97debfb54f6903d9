import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commands, everything, CheckedStates, machines } from './commands.ts'

test('releaseUntil releases just the jobs that are expected to end by then', () => {
  fc.assert(
    fc.property(machines, commands, fc.integer({ min: -1, max: 6 }), (machine, history, time) => {
      const { topology, states } = CheckedStates.after(machine, history)
      for (const { real } of states) {
        const atOnce = real.fork()
        atOnce.releaseUntil(time)
        const oneByOne = real.fork()
        for (const allocation of [...real.running].filter(({ estimatedEnd }) => estimatedEnd <= time))
          oneByOne.release(allocation)
        expect(everything(topology, atOnce)).toEqual(everything(topology, oneByOne))
        expect(atOnce.running).toEqual(oneByOne.running)
        oneByOne.drop()
        atOnce.drop()
      }
    }),
  )
})
