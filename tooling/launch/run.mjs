// Starts programs for launch.mjs and commands.mjs; like launch.mjs, this file must run under Node 12.
import { spawn } from 'child_process'

/** Writes a message to standard error, because standard output belongs to the started programs. */
export const say = (text) => process.stderr.write('cloister: ' + text + '\n')

/** Error whose message a command of the workspace prints without a stack trace. */
export class Failure extends Error {}

/** Ignores SIGINT: a terminal sends it to the child, too, and this process ends when the child ends. */
const wait = () => {}

/** Runs a program and returns its exit code. Passes SIGTERM and SIGHUP on; ends by the signal that ends the program. */
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
