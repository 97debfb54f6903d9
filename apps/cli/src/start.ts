import { builtInPolicies } from 'cloister:builtin-policies'
import { Effect, Layer } from 'effect'
import { runCloister } from './cloister.ts'
import { exitCodes } from './errors/exit.ts'
import { userBrowser } from './node/browser.ts'
import { threadWorkers } from './node/cell-workers.ts'
import { fileSystem } from './node/files.ts'
import { childProcess } from './node/fresh-process.ts'
import { nodePolicyLookup } from './node/policy-lookup.ts'
import { processTerminal } from './node/terminal.ts'
import { installedPage } from './node/viewer-page.ts'

const services = Layer.mergeAll(
  processTerminal,
  fileSystem,
  nodePolicyLookup(builtInPolicies),
  threadWorkers,
  childProcess,
  installedPage,
  userBrowser,
)

// A reader that has seen enough closes the pipe (cloister … | head): that is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  const reason = error.code === 'ENOSPC' ? 'the disk is full' : error.message
  process.stderr.write(`cloister: the result cannot be written to standard output: ${reason}\n`)
  process.exit(exitCodes.unusable)
})
// Where nobody can be told, the exit code still tells.
process.stderr.on('error', () => {})

// No handler of signals, as Effect's own main has: a simulation is one long step, and an interrupt has to end it.
process.exitCode = await Effect.runPromise(runCloister(process.argv.slice(2)).pipe(Effect.provide(services)))
