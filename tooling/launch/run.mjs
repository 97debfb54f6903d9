// Starts programs for launch.mjs and commands.mjs; only uses features of Node 12.
import { spawn } from 'child_process'

/** Writes a message to standard error: standard output belongs to the started programs. */
export const say = (text) => process.stderr.write('cloister: ' + text + '\n')

/** Ends a command with a message instead of a stack trace. */
export class Failure extends Error {}

/**
 * Ignores an interrupt, which a terminal sends to the whole group: the child decides its meaning, and this process
 * waits.
 */
const wait = () => {}

/**
 * Runs a program to its end and returns its exit code. Signals go to the program; a signal that ends the program also
 * ends this process.
 */
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
