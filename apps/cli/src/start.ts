import { builtInPolicies } from 'cloister:builtin-policies'
import { Effect, Layer } from 'effect'
import { runCloister } from './cloister.ts'
import { exitCodes } from './errors/exit.ts'
import { describeThrown } from './errors/thrown.ts'
import { userBrowser } from './node/browser.ts'
import { threadWorkers } from './node/cell-workers.ts'
import { fileSystem } from './node/files.ts'
import { childProcess } from './node/fresh-process.ts'
import { nodePolicyLookup } from './node/policy-lookup.ts'
import { localOpensm } from './node/opensm.ts'
import { threadOfPolicies } from './node/policy-thread.ts'
import { installedSlurm } from './node/slurm-commands.ts'
import { endBySignal, processSignals } from './node/signals.ts'
import { installedProgram } from './node/own-program.ts'
import { processTerminal } from './node/terminal.ts'
import { installedPage } from './node/viewer-page.ts'
import { userRuns } from './node/kept-runs.ts'

const services = Layer.mergeAll(
  processTerminal,
  fileSystem,
  nodePolicyLookup(builtInPolicies),
  threadWorkers,
  childProcess,
  threadOfPolicies,
  installedSlurm,
  localOpensm,
  installedPage,
  userRuns,
  installedProgram,
  userBrowser,
  processSignals,
)

/** Original `process.exit`. While a policy loads or answers, `process.exit` is replaced by a function that throws. */
const exit: (code: number) => never = process.exit.bind(process)
let isDone = false
process.on('exit', (code) => {
  if (isDone || code !== 0) return
  process.exitCode = exitCodes.unusable
  process.stderr.write(
    'cloister: the program was ended before it was done: code of a policy may have called process.exit\n',
  )
})

// Most likely a timer or a promise of a policy: commands handle the errors of their own code.
process.on('uncaughtException', (error: unknown) => {
  isDone = true
  process.stderr.write(`cloister: code that nobody waits for threw: ${describeThrown(error)}\n`)
  exit(exitCodes.defect)
})

process.stdout.on('error', endUnwritten)
// The exit code still tells the outcome if standard error is closed.
process.stderr.on('error', () => {})

// Effect's own main would handle signals during every command. A simulation is one long step: a signal ends it at once.
// Commands that wait for others handle signals by `untilSignal`.
const code = await Effect.runPromise(runCloister(process.argv.slice(2)).pipe(Effect.provide(services)))
isDone = true
// The call of `exit` is needed because a policy's timer would keep the process alive for ever.
process.stdout.write('', () => {
  // The stream's error event may come later than this callback.
  if (process.stdout.errored !== null) endUnwritten(process.stdout.errored)
  process.stderr.write('', () => {
    endBySignal()
    exit(code)
  })
})

/**
 * Ends the program after standard output failed. A reader may close the pipe early (`cloister … | head`), without an
 * error of the program.
 */
function endUnwritten(error: NodeJS.ErrnoException): never {
  isDone = true
  if (error.code === 'EPIPE') exit(0)
  const reason = error.code === 'ENOSPC' ? 'the disk is full' : error.message
  process.stderr.write(`cloister: the result cannot be written to standard output: ${reason}\n`)
  exit(exitCodes.unusable)
}
