import { EXEC, ProgramError } from '@cloister/run/node'
import { Problem } from '../errors/errors.ts'

/**
 * Starts the program of an option's value that begins with `EXEC`.
 *
 * @throws Problem if the program does not introduce itself
 */
export function startProgram<Started>(value: string, start: (command: string) => Started): Started {
  try {
    return start(value.slice(EXEC.length))
  } catch (error) {
    throw error instanceof ProgramError ? new Problem(`${value}: ${error.message}`) : error
  }
}
