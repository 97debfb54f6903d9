// Starting programs, for launch.mjs and commands.mjs: keeps to what Node 12 knows.
import { spawn } from 'child_process'

/** Standard output belongs to the programs that are started. */
export const say = (text) => process.stderr.write('cloister: ' + text + '\n')

/** Ends a command with a message instead of a stack trace. */
export class Failure extends Error {}

/** A terminal sends an interrupt to the whole group: the child decides what it means, and we wait for it. */
const wait = () => {}

/** Runs a program to its end and gives its exit code. Signals go to the program; one that ends it ends us too. */
export function run(file, args, options, onOutput) {
  return new Promise((done, failed) => {
    const child = spawn(file, args, options)
    const pass = (signal) => child.kill(signal)
    process.on('SIGINT', wait).on('SIGTERM', pass).on('SIGHUP', pass)
    if (onOutput) {
      child.stdout.on('data', onOutput)
      child.stderr.on('data', onOutput)
    }
    child.on('error', failed)
    child.on('close', (code, signal) => {
      process.off('SIGINT', wait).off('SIGTERM', pass).off('SIGHUP', pass)
      if (signal) process.kill(process.pid, signal)
      else done(code)
    })
  })
}
