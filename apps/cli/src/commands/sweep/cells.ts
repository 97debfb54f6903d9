import { headerWithoutChecksum, isTagged } from '@cloister/run'
import { type CellHost, serveCells as serve, threadPool } from '@cloister/sweep'
import { Console, Effect } from 'effect'
import { messageOf } from '../../errors/message.ts'
import { describeThrown } from '../../errors/thrown.ts'
import { assumptionsOf } from '../../log/assumptions.ts'
import type { PolicyLookup } from '../../policy/policy-lookup.ts'
import { program } from '../../run/log-target.ts'
import { prepareRun } from '../../run/prepare-run.ts'

/** Functions by which the cells of a sweep get their inputs, policies and messages. */
export const cellHost: Effect.Effect<CellHost, never, PolicyLookup> = Effect.map(
  Effect.context<PolicyLookup>(),
  (services): CellHost => ({
    prepare: (cell, traceDir, onRemark) => {
      const quiet: Console.Console = Object.assign(Object.create(console), { error: onRemark })
      return prepareRun(cell, traceDir).pipe(
        Effect.provideService(Console.Console, quiet),
        Effect.provideContext(services),
      )
    },
    assumptionsOf: (run) => ({ ...assumptionsOf(headerWithoutChecksum(run, program), run.topology) }),
    reasonOf: (error) => (isTagged(error) ? messageOf(error) : `cloister has a defect: ${describeThrown(error)}`),
  }),
)

/** Runs the cells of a sweep in this worker thread. */
export const serveCells: Effect.Effect<void, never, PolicyLookup> = Effect.map(cellHost, serve)

/** Creates a pool of worker threads of this program for the cells of a sweep. */
export const programThreads = (workers: number) => threadPool(new URL('./start-worker.js', import.meta.url), workers)
