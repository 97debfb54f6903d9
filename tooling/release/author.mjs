// Follows the author of a policy and a user of the policy in empty folders, with one package manager and one registry.
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installInto } from './clients.mjs'
import { commandIn, environment } from './command.mjs'
import { publish } from './local-registry.mjs'

/**
 * Makes a policy by `npm create cloister-policy` or the same of another package manager, runs the tests of the package,
 * publishes the package, and uses the policy by name: a test, a simulation, and a view of the log. Returns the name and
 * the version of the policy.
 *
 * @param work folder for new folders
 * @param client package manager, as from `clientsHere`
 * @param registry address of the registry for all packages
 * @param version version of `cloister` in the registry
 * @throws Error if a step fails
 */
export async function policyOfSomebody(work, client, registry, version) {
  const name = `by-${client.name}`
  const packageName = `cloister-policy-${name}`
  const author = join(work, `author-${client.name}`)
  mkdirSync(author)
  const env = registryIn(registry, join(work, 'cache'))
  commandIn(author, `${client.create} cloister-policy ${name}`, { env })
  const own = join(author, packageName)
  writeFileSync(join(own, '.npmrc'), `registry=${registry}\n`)
  commandIn(own, client.install, { env: { ...env, npm_config_cache: undefined } })
  for (const script of ['typecheck', 'test', 'build']) commandIn(own, `${client.run} ${script}`)
  publish(registry, own, '.')

  const user = join(work, `user-${client.name}`)
  const packages = [
    { name: 'cloister', version },
    { name: packageName, version: '0.1.0' },
  ]
  installInto(user, client, registry, packages, {})
  const cloister = `${client.exec} cloister`
  const said = JSON.parse(commandIn(user, `${cloister} policy test ${name} --json`))
  if (said.ok !== true || said.origin !== packageName)
    throw new Error(`cloister does not find the policy ${name} by the name of its package: ${JSON.stringify(said)}`)
  commandIn(user, `${cloister} simulate --trace synth:8:100 --topology radix:8 --policy ${name} --out run.ndjson`)
  commandIn(user, `${cloister} audit run.ndjson`)
  const page = await viewed(user, `${cloister} view run.ndjson --policy ${name} --no-open`)
  if (!page.includes('<title>')) throw new Error(`cloister view serves no page: ${page.slice(0, 200)}`)
  return said.policy
}

/** Returns variables that make npm, pnpm and Bun take packages from a registry, past programs in earlier caches. */
function registryIn(registry, cache) {
  return {
    npm_config_registry: registry,
    pnpm_config_registry: registry,
    npm_config_cache: join(cache, 'npm'),
    BUN_CONFIG_REGISTRY: registry,
    BUN_INSTALL_CACHE_DIR: join(cache, 'bun'),
  }
}

/** Runs a command that serves a page, fetches the page, ends the command, and returns the page. */
async function viewed(cwd, command) {
  // The command has a separate process group, because a package manager starts `cloister` as another process.
  const child = spawn(command, { cwd, shell: true, detached: true, env: environment() })
  try {
    const url = await new Promise((resolve, reject) => {
      let said = ''
      const listen = (chunk) => {
        said += chunk
        const [, found] = /(http:\S+)\n/.exec(said) ?? []
        if (found !== undefined) resolve(found)
      }
      for (const stream of [child.stdout, child.stderr]) stream.on('data', listen)
      child.once('exit', (code) => reject(new Error(`${command} ended with ${code}: ${said}`)))
    })
    return await (await fetch(url)).text()
  } finally {
    if (child.pid !== undefined) process.kill(-child.pid)
  }
}
