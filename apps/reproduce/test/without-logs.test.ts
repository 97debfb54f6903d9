import { Effect } from 'effect'
import { expect, it } from 'vitest'
import { Records, reproductions, Runs, StoredOutputs, Traces } from '../src/index.ts'
import { stored } from './experiment-pages.ts'

/** Service of job logs in which every log is at hand and has no jobs. */
const emptyLogs: Traces['Service'] = {
  locate: () => Effect.succeed({ trace: 'synth:8:60', arrivals: 'zero' }),
  readText: () => Effect.succeed(undefined),
  jobs: () => Effect.succeed([]),
  write: () => Effect.succeed('jobs.txt'),
}

/** Makes a reproduction with runs that all fail, and returns the kinds of runs that the reproduction asks for. */
async function waysToAsk(name: string): Promise<ReadonlySet<string>> {
  const asked = new Set<string>()
  const note = (way: string) => Effect.sync(() => void asked.add(way))
  const spy: Runs['Service'] = {
    run: (specs) => Effect.as(specs.length === 0 ? Effect.void : note('log'), Array(specs.length).fill(undefined)),
    time: () => Effect.as(note('time'), 0.001),
  }
  const { produce } = reproductions.find((each) => each.name === name)!
  await Effect.runPromise(
    produce.pipe(
      Effect.provideService(Traces, emptyLogs),
      Effect.provideService(Runs, spy),
      Effect.provideService(Records, { watch: () => note('log') }),
      Effect.provideService(StoredOutputs, stored),
    ),
  )
  return asked
}

it.each(reproductions)(
  'the reproduction $name has `withoutLogs` if and only if its runs write no logs',
  async ({ name, withoutLogs }) => {
    const asked = await waysToAsk(name)
    const runs = asked.has('log') ? undefined : asked.has('time') ? 'timed' : 'none'
    expect(withoutLogs?.runs).toBe(runs)
  },
)
