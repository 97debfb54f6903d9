import { spawnSync } from 'node:child_process'

/** Runs a shell command in a folder, and returns the output. @throws Error with the output, unless `mayFail` */
export function commandIn(cwd, command, { mayFail = false, env = {} } = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, {
    cwd,
    shell: true,
    encoding: 'utf8',
    maxBuffer: 1e9,
    env: environment(env),
  })
  if (status === 0 || mayFail) return stdout
  throw new Error(
    `${command} failed (exit ${status}) in ${cwd}:\n${error?.message ?? ''}${stdout.slice(-20_000)}${stderr.slice(-4000)}`,
  )
}

/** Returns true if a program is installed and knows `--version`. */
export function isThere(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0
}

/**
 * Returns the variables of this process and `further` ones, without variables that npm sets for scripts, because a
 * second npm would use these variables as configuration.
 */
export function environment(further = {}) {
  const ofScripts =
    /^npm_(package|lifecycle|command|execpath|node_execpath|config_(registry|prefix|user_agent|global|local_prefix|dry_run))/i
  return { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofScripts.test(name))), ...further }
}
