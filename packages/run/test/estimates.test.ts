import { countingRecorder } from '@cloister/eventlog'
import { loadWorkloadFrom } from '@cloister/trace-io'
import { Effect, Layer } from 'effect'
import { describe, expect, it } from 'vitest'
import { attempt, canonicalSpec, execute, type GivenSpec, headerOf, prepare, Traces } from '../src/index.ts'
import { filesOf, inMemory } from './memory.ts'

const swf = (jobs: ReadonlyArray<readonly [submit: number, walltime: number]>): string =>
  jobs.map(([at, wall], i) => `${i + 1} ${at} -1 100 2 -1 -1 2 ${wall} -1 1 -1 -1 -1 -1 -1 -1 -1\n`).join('')
const traces: Readonly<Record<string, string>> = {
  all: swf([
    [0, 60],
    [5, 200],
  ]),
  most: swf([
    [0, 60],
    [5, 200],
    [6, -1],
  ]),
  half: swf([
    [0, 60],
    [5, -1],
  ]),
}

async function prepared(given: Omit<GivenSpec, 'topology' | 'policy'>) {
  const files = {
    open: (path: string) => ({ file: path, text: new TextEncoder().encode(traces[path]), sha256: '0'.repeat(64) }),
    find: () => {
      throw new Error('no preset is asked for')
    },
  }
  const load = Traces.of({
    load: (trace, { filter, arrivals }) =>
      attempt(() => loadWorkloadFrom(files, trace, { filter, ...(arrivals !== undefined && { arrivals }) })),
  })
  const spec = canonicalSpec({ topology: 'radix:4', policy: 'baseline', ...given }, filesOf({}))
  return await Effect.runPromise(
    prepare(spec).pipe(Effect.provide(Layer.merge(inMemory(), Layer.succeed(Traces, load)))),
  )
}

describe('estimates', () => {
  it.each([
    ['all', undefined, 'requested'],
    ['all', 'scale:0.5', 'requested'],
    ['most', undefined, 'requested'],
    ['half', undefined, 'exact'],
    ['all', 'zero', 'exact'],
  ])('with walltimes of %s jobs and arrivals %s, the default of estimates is %s', async (trace, arrivals, expected) => {
    const run = await prepared({ trace, arrivals })
    expect(run.applied.estimates).toBe(expected)
    expect(headerOf(run, 'test@1.0.0').options.estimates).toBe(expected)
  })

  it('estimates follow the option `estimates`, if given', async () => {
    for (const estimates of ['exact', 'requested'] as const)
      for (const arrivals of ['zero', 'trace'])
        expect((await prepared({ trace: 'all', arrivals, estimates })).applied.estimates).toBe(estimates)
  })

  it('the scheduler kills a job at its walltime, but not with exact estimates', async () => {
    const killed = async (given: Partial<GivenSpec>): Promise<number> => {
      const run = await prepared({ trace: 'all', overrun: 'kill', ...given })
      return execute(run, countingRecorder()).totals.killed
    }
    expect(await killed({})).toBe(1)
    expect(await killed({ estimates: 'exact' })).toBe(0)
  })
})

describe('a job that outlives its walltime', () => {
  it.each([
    [undefined, { killed: 1, finished: 1 }, [100, 100], [60, 200]],
    ['kill', { killed: 1, finished: 1 }, [100, 100], [60, 200]],
    ['run-on', { killed: 0, finished: 2 }, [100, 100], [60, 200]],
    ['clamp', { killed: 0, finished: 2 }, [60, 100], [60, 200]],
    ['extend', { killed: 0, finished: 2 }, [100, 100], [100, 200]],
  ] as const)(
    'the fate of a job that outlives its walltime depends on the option overrun: %s',
    async (overrun, totals, runTimes, walltimes) => {
      const run = await prepared({ trace: 'all', ...(overrun && { overrun }) })
      expect([...run.workload.jobs].map(({ runTime }) => runTime / 1000)).toEqual(runTimes)
      expect([...run.workload.jobs].map(({ walltime }) => walltime! / 1000)).toEqual(walltimes)
      expect(execute(run, countingRecorder()).totals).toMatchObject(totals)
      const { options, overruns } = headerOf(run, 'test@1.0.0')
      expect({ overrun: options.overrun, overruns }).toMatchObject({
        overrun: overrun === 'kill' ? undefined : overrun,
        overruns: { jobs: 1, node_seconds: 80, of_node_seconds: 400 },
      })
    },
  )

  it('with exact estimates, clamp changes no job, and the header has no `overruns`', async () => {
    const run = await prepared({ trace: 'all', estimates: 'exact', overrun: 'clamp' })
    expect([...run.workload.jobs].map(({ runTime }) => runTime / 1000)).toEqual([100, 100])
    expect(headerOf(run, 'test@1.0.0').overruns).toBeUndefined()
  })
})
