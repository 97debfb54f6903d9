// Runs a temporary registry on loopback, with published packages in a folder. Other packages come from npm's registry.
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandIn } from './command.mjs'

/** Verdaccio, the registry's program. The override exists because some registries lack its tag of node-fetch. */
const program = { dependencies: { verdaccio: '6.10.4' }, overrides: { 'node-fetch': '^2.7.0' } }

/**
 * Starts a registry in a folder, and returns the address and a function that ends the registry. All other packages come
 * from the registry of npm's configuration.
 *
 * @param ours names of packages, with wildcards, that come only from this registry
 */
export async function startRegistry(folder, ours) {
  mkdirSync(folder, { recursive: true })
  const upstream = commandIn(folder, 'npm config get registry').trim()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const own = ours.map((name) => `  '${name}': { access: $all, publish: $all, unpublish: $all }\n`).join('')
  const config = join(folder, 'config.yaml')
  writeFileSync(
    config,
    `storage: ${join(folder, 'storage')}\nmax_body_size: 50mb\nuplinks:\n  upstream: { url: ${JSON.stringify(upstream)}, cache: true }\npackages:\n${own}  '**': { access: $all, proxy: upstream }\nlog: { type: stdout, format: pretty, level: error }\n`,
  )
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, ...program }))
  commandIn(folder, 'npm install --no-audit --no-fund --loglevel=error --ignore-scripts')
  const words = [
    join(folder, 'node_modules/verdaccio/bin/verdaccio'),
    '--config',
    config,
    '--listen',
    `127.0.0.1:${port}`,
  ]
  const child = spawn(process.execPath, words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  const stop = () => child.kill()
  process.once('exit', stop)
  while (!(await answers(`${url}/-/ping`))) {
    if (child.exitCode !== null) throw new Error(`the registry ended before an answer: ${said}`)
    await sleep(200)
  }
  return { url, stop }
}

/** Publishes a tarball or a folder to a registry on loopback, which accepts any token. */
export function publish(registry, folder, file) {
  const { host } = new URL(registry)
  commandIn(
    folder,
    `npm publish ${file} --registry ${registry} --//${host}/:_authToken=none --access public --ignore-scripts --provenance=false`,
  )
}

async function answers(url) {
  try {
    return (await fetch(url)).ok
  } catch {
    return false
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
