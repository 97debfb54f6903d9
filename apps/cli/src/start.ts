import { builtInPolicies } from 'cloister:builtin-policies'
import { installedSlurm, localOpensm } from '@cloister/cluster'
import { CellWorkers } from '@cloister/sweep'
import { Effect, Layer } from 'effect'
import { runCloister } from './cloister.ts'
import { exitCodes } from './errors/errors.ts'
import { describeThrown } from './errors/thrown.ts'
import { fileSystem } from '@cloister/run/node'
import { childProcess } from './bench/fresh-process.ts'
import { nodePolicyLookup } from './policy/policy-lookup.ts'
import { threadOfPolicies } from '@cloister/viewer/server'
import { endBySignal, processSignals } from './terminal/signals.ts'
import { installedProgram } from './commands/sweep/own-program.ts'
import { processTerminal } from './terminal/terminal.ts'
import { installedPage, userBrowser, userRuns } from './view/services.ts'

/** Service that runs cells in worker threads of this process. */
const threadWorkers: Layer.Layer<CellWorkers> = Layer.succeed(CellWorkers, {
  pool: Effect.fnUntraced(function* (workers: number) {
    const { programThreads } = yield* Effect.promise(() => import('./commands/sweep/cells.ts'))
    return yield* programThreads(workers)
  }),
})

const services = Layer.mergeAll(
  processTerminal,
  fileSystem,
  nodePolicyLookup(builtInPolicies),
  threadWorkers,
  childProcess,
  threadOfPolicies(new URL('./start-worker.js', import.meta.url)),
  installedSlurm,
  localOpensm,
  installedPage,
  userRuns,
  installedProgram,
  userBrowser,
  processSignals,
)

/** Original function `process.exit`. While a policy loads or answers, `process.exit` is a function that throws. */
const exit: (code: number) => never = process.exit.bind(process)
let isDone = false
process.on('exit', (code) => {
  if (isDone || code !== 0) return
  process.exitCode = exitCodes.unusable
  process.stderr.write(
    'cloister: the process ended before the command was done; code of a policy may have called process.exit\n',
  )
})

// An uncaught exception comes most likely from a timer or promise of a policy: commands handle their own errors.
process.on('uncaughtException', (error: unknown) => {
  isDone = true
  process.stderr.write(
    `cloister: an exception was thrown outside of every command, for example by a timer of a policy: ${describeThrown(error)}\n`,
  )
  exit(exitCodes.defect)
})

process.stdout.on('error', endUnwritten)
// Ignores errors of standard error: the exit code still shows the outcome of the command.
process.stderr.on('error', () => {})

// `runMain` of Effect would handle signals during every command, and a simulation is one long step. Without `runMain` a
// signal ends a simulation at once. Commands that wait for other programs handle signals by `untilSignal`.
const code = await Effect.runPromise(runCloister(process.argv.slice(2)).pipe(Effect.provide(services)))
isDone = true
// The call of `exit` below is needed because a timer of a policy would otherwise keep the process alive for ever.
process.stdout.write('', () => {
  // The error event of standard output may come later than this callback.
  if (process.stdout.errored !== null) endUnwritten(process.stdout.errored)
  process.stderr.write('', () => {
    endBySignal()
    exit(code)
  })
})

/** The exit code is 0 if the reader of standard output closed the pipe early, for example in `cloister … | head`. */
function endUnwritten(error: NodeJS.ErrnoException): never {
  isDone = true
  if (error.code === 'EPIPE') exit(0)
  const reason = error.code === 'ENOSPC' ? 'the disk is full' : error.message
  process.stderr.write(`cloister: the result of the command cannot be written to standard output: ${reason}\n`)
  exit(exitCodes.unusable)
}
