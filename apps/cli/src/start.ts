import { Effect, Runtime } from 'effect'
import { runCloister } from './cloister.ts'

// A reader that has seen enough closes the pipe (cloister … | head): that is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

// No handler of signals, as Effect's own main has: a simulation is one long step, and an interrupt has to end it.
Runtime.defaultTeardown(await Effect.runPromiseExit(runCloister(process.argv.slice(2))), (code) => {
  process.exitCode = code
})
