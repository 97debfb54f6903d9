// Runs a command of the workspace (commands.mjs) under the pinned Node and pnpm. npm fetches missing ones. Any
// installed Node from version 12 on can run this file and run.mjs.
import { spawnSync } from 'child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'fs'
import { delimiter, dirname, join, resolve } from 'path'
import { fileURLToPath } from 'url'
import { Failure, run, say } from './run.mjs'

const PINNED = { node: '24.21.0', pnpm: '12.21.0' }
// For tests under another Node: a version, or a series such as 22, which stands for the newest version of the series.
if (process.env.CLOISTER_NODE) PINNED.node = process.env.CLOISTER_NODE
const here = dirname(fileURLToPath(import.meta.url))
const root = resolve(here, '../..')
/** File with the places of the pinned Node and pnpm, so that later starts need not ask npm. */
const remembered = join(root, 'node_modules/.cache/cloister-toolchain.json')

const isPinned = (found) => (found.node + '.').startsWith(PINNED.node + '.') && found.pnpm === PINNED.pnpm

const has = (folder, name) => ['', '.exe', '.cmd'].some((suffix) => existsSync(join(folder, name + suffix)))

/** Returns the versions of this Node and of the pnpm on PATH, and the first folder of PATH with both programs. */
function look() {
  const pnpm = spawnSync('pnpm --version', { shell: true, encoding: 'utf8', cwd: root })
  const bin = (process.env.PATH || '').split(delimiter).find((folder) => has(folder, 'node') && has(folder, 'pnpm'))
  return {
    node: process.versions.node,
    execPath: process.execPath,
    pnpm: pnpm.status === 0 ? pnpm.stdout.trim() : 'none',
    bin: bin,
  }
}

function recall() {
  try {
    const found = JSON.parse(readFileSync(remembered, 'utf8'))
    return isPinned(found) && existsSync(found.execPath) && has(found.bin, 'pnpm') ? found : undefined
  } catch {
    return undefined
  }
}

function fetchPinned() {
  say('fetching Node ' + PINNED.node + ' and pnpm ' + PINNED.pnpm + ' (npm keeps them for the next time)')
  const options = { cwd: root, shell: true, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }
  options.env = Object.assign({ npm_config_update_notifier: 'false' }, process.env)
  // npx of npm 6 does not know all options below, so npx first fetches npm 8.
  const npx =
    parseInt(spawnSync('npx --version', options).stdout, 10) < 7 ? 'npx --quiet -p npm@8.19.4 npm exec' : 'npx'
  const asked = spawnSync(
    npx +
      ' --yes --loglevel=error --package=node@' +
      PINNED.node +
      ' --package=pnpm@' +
      PINNED.pnpm +
      ' --call "node tooling/launch/launch.mjs look"',
    options,
  )
  const line = /^\{"node".*\}$/m.exec(asked.stdout || '')
  if (asked.status !== 0 || !line)
    throw new Failure(
      'npm could not fetch Node and pnpm: see the messages above. npm must reach a package registry (`npm ping` tests the connection)',
    )
  const found = JSON.parse(line[0])
  if (!isPinned(found)) {
    throw new Failure(
      'asked npm for Node ' +
        PINNED.node +
        ' and pnpm ' +
        PINNED.pnpm +
        ', got Node ' +
        found.node +
        ' and pnpm ' +
        found.pnpm +
        '. ' +
        'The Node package needs its install script: `npm config get ignore-scripts` should say false (npm_config_ignore_scripts=false for one command). ' +
        'Or put these versions of Node and pnpm on PATH yourself',
    )
  }
  return found
}

function remember(found) {
  mkdirSync(dirname(remembered), { recursive: true })
  writeFileSync(remembered, JSON.stringify(found))
  return found
}

async function main(command, args) {
  if (!/^\d+(\.\d+){0,2}$/.test(PINNED.node))
    throw new Failure('CLOISTER_NODE is ' + JSON.stringify(PINNED.node) + ', expected a version such as 22 or 26.9.0')
  if (command === 'look') {
    process.stdout.write(JSON.stringify(look()) + '\n')
    return 0
  }
  const commands = [join(here, 'commands.mjs'), command].concat(args)
  let pinned = recall()
  if (!pinned) {
    const here = look()
    if (isPinned(here)) {
      remember(here)
      return run(process.execPath, commands, { stdio: 'inherit' })
    }
    pinned = remember(fetchPinned())
  }
  process.env.PATH = pinned.bin + delimiter + process.env.PATH
  return run(pinned.execPath, commands, { stdio: 'inherit' })
}

main(process.argv[2], process.argv.slice(3)).then(
  (code) => {
    process.exitCode = code
  },
  (error) => {
    say(error instanceof Failure ? error.message : error.stack)
    process.exitCode = 1
  },
)
