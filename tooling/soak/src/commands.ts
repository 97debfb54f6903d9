import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { SlurmCluster } from '@cloister/slurm-cluster'

/** Runs a command of Slurm, and returns its output with times in Unix seconds; undefined if the command fails or takes longer than 20 s. */
export async function ask(
  slurm: SlurmCluster,
  program: string,
  ...args: ReadonlyArray<string>
): Promise<string | undefined> {
  try {
    const options = { env: { ...slurm.environment, SLURM_TIME_FORMAT: '%s' }, timeout: 20_000, maxBuffer: 2 ** 26 }
    return (await promisify(execFile)(program, [...args], options)).stdout
  } catch {
    return undefined
  }
}

/** Adds one to a count by name. */
export function count<Name extends string>(counts: Map<Name, number>, name: Name): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}
