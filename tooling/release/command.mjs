import { spawnSync } from 'node:child_process'

/** Runs a command line in a folder, as a user would; gives what it prints. What fails says how, unless it may. */
export function commandIn(cwd, command, { mayFail = false, env = {} } = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, {
    cwd,
    shell: true,
    encoding: 'utf8',
    maxBuffer: 1e9,
    env: { ...withoutNpm(process.env), ...env },
  })
  if (status === 0 || mayFail) return stdout
  throw new Error(
    `${command} failed (exit ${status}) in ${cwd}:\n${error?.message ?? ''}${stdout.slice(-20_000)}${stderr.slice(-4000)}`,
  )
}

/** Whether there is a program of that name. */
export function isThere(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0
}

/** npm tells whatever it starts how it is configured, and another npm would believe it. */
function withoutNpm(env) {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name]) =>
        !/^npm_(package|lifecycle|command|execpath|node_execpath|config_(registry|prefix|user_agent|global|local_prefix|dry_run))/i.test(
          name,
        ),
    ),
  )
}
