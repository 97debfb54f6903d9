import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { transformSync } from 'esbuild'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const here = resolve(import.meta.dirname, '..')
const launcher = join(here, 'launch.mjs')
const launch = (args: readonly string[], env: NodeJS.ProcessEnv = process.env, file = launcher) =>
  spawnSync(process.execPath, [file, ...args], { encoding: 'utf8', env: { ...env, INIT_CWD: tmpdir() } })

describe('Node 12 can run the launcher', () => {
  test.each(['launch.mjs', 'run.mjs'])('tooling/launch/%s has no syntax newer than Node 12', (file) => {
    const code = readFileSync(join(here, file), 'utf8')
    const lowered = (target: string): string => transformSync(code, { target, format: 'esm' }).code
    expect(lowered('node12.20')).toBe(lowered('esnext'))
    expect(transformSync('a?.b', { target: 'node12.20' }).code).not.toBe(
      transformSync('a?.b', { target: 'esnext' }).code,
    )
  })

  test.each(['launch.mjs', 'run.mjs'])('tooling/launch/%s imports only names that Node 12 exports', (file) => {
    const known = [
      'spawn',
      'spawnSync',
      'existsSync',
      'mkdirSync',
      'readFileSync',
      'writeFileSync',
      'delimiter',
      'dirname',
      'join',
      'resolve',
      'fileURLToPath',
      'Failure',
      'run',
      'say',
    ]
    const imported = [
      ...readFileSync(join(here, file), 'utf8').matchAll(/^import \{ (.*) \} from '(?!node:)/gm),
    ].flatMap(([, names]) => names.split(', '))
    expect(imported.length).toBeGreaterThan(0)
    expect(imported.filter((name) => !known.includes(name))).toEqual([])
  })
})

describe('the launcher', () => {
  test('npm test refuses the option --draw together with the variable CLOISTER_SEED', () => {
    const { status, stderr } = launch(['test', '--draw'], { ...process.env, CLOISTER_SEED: '7' })
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('omit --draw or CLOISTER_SEED'),
    })
  })

  test('npm run compare refuses options without a commit', () => {
    const { status, stderr } = launch(['compare', '--quick'])
    expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining('expected a commit') })
  })

  test('a started program gets unchanged arguments, and standard output has only the program’s output', () => {
    const args = ['two words', '"quoted"', '$HOME', "it's", '*', '', '--flag=a b']
    const { stdout, status } = launch([
      'pnpm',
      'exec',
      'node',
      '-p',
      'JSON.stringify(process.argv.slice(1))',
      '--',
      ...args,
    ])
    expect(JSON.parse(stdout)).toEqual(args)
    expect(status).toBe(0)
  })

  test('a program started by npm run pnpm runs in the folder in which the user called npm', () => {
    expect(launch(['pnpm', 'exec', 'node', '-p', 'process.cwd()']).stdout.trim()).toBe(
      execFileSync('pwd', ['-P'], { cwd: tmpdir(), encoding: 'utf8' }).trim(),
    )
  })

  test('the launcher ends with the exit code of the started program', () => {
    expect(launch(['pnpm', 'exec', 'node', '-e', 'process.exit(7)']).status).toBe(7)
  })

  test('the launcher passes SIGTERM to the started program', async () => {
    const script =
      "process.on('SIGTERM', () => { console.log('told'); process.exit(9) }); setInterval(() => {}, 1000); console.log('ready')"
    const running = spawn(process.execPath, [launcher, 'pnpm', 'exec', 'node', '-e', script], {
      env: { ...process.env, INIT_CWD: tmpdir() },
    })
    let printed = ''
    running.stdout.on('data', (chunk: Buffer) => {
      if (printed === '') running.kill('SIGTERM')
      printed += chunk.toString()
    })
    const code = await new Promise((done) => running.on('close', done))
    expect({ printed, code }).toEqual({ printed: 'ready\ntold\n', code: 9 })
  })

  test('the launcher refuses an unknown command and lists the known commands', () => {
    expect(launch(['simulate'])).toMatchObject({
      status: 1,
      stderr:
        'cloister: no command "simulate": one of start, test, cloister, compare, new-policy, release, mutate, site, pnpm\n',
    })
  })
})

/** Each test has a folder in place of a machine, with a pnpm of a wrong version and an npx of scripted behaviour. */
describe.skipIf(process.platform === 'win32')('the fetched toolchain', () => {
  let machine: string
  const tell = (npx: string, more: NodeJS.ProcessEnv = {}) => {
    writeFileSync(join(machine, 'bin/npx'), `#!/bin/sh\n[ "$1" = --version ] && echo 10.9.0 && exit\n${npx}\n`)
    chmodSync(join(machine, 'bin/npx'), 0o755)
    return launch(
      ['pnpm', '--version'],
      { PATH: `${join(machine, 'bin')}:/usr/bin:/bin`, ...more },
      join(machine, 'tooling/launch/launch.mjs'),
    )
  }
  beforeEach(() => {
    machine = mkdtempSync(join(tmpdir(), 'cloister-launch-'))
    cpSync(here, join(machine, 'tooling/launch'), { recursive: true, filter: (path) => !path.includes('node_modules') })
    mkdirSync(join(machine, 'bin'))
    symlinkSync(process.execPath, join(machine, 'bin/node'))
    writeFileSync(join(machine, 'bin/pnpm'), '#!/bin/sh\necho 9.9.9\n')
    chmodSync(join(machine, 'bin/pnpm'), 0o755)
  })
  afterEach(() => rmSync(machine, { recursive: true }))

  test('the launcher refuses a fetched Node of a wrong version, which npm gives if it ignores install scripts', () => {
    const { status, stderr } = tell(`echo '{"node":"18.0.0","execPath":"x","pnpm":"12.21.0","bin":"y"}'`)
    expect(status).toBe(1)
    expect(stderr).toContain('got Node 18.0.0 and pnpm 12.21.0')
    expect(stderr).toContain('npm config get ignore-scripts')
  })

  test('the launcher says that npm could not fetch Node and pnpm if npx fails', () => {
    const { status, stderr } = tell('echo "npm error network" >&2; exit 1')
    expect(status).toBe(1)
    expect(stderr).toMatch(/npm error network\ncloister: npm could not fetch Node and pnpm/)
  })

  test('the launcher asks npm again for Node and pnpm only if the fetched programs are gone', () => {
    const fetched = join(machine, 'fetched')
    mkdirSync(fetched)
    symlinkSync(process.execPath, join(fetched, 'node'))
    writeFileSync(join(fetched, 'pnpm'), '#!/bin/sh\necho "pnpm $*"\n')
    chmodSync(join(fetched, 'pnpm'), 0o755)
    const answer = JSON.stringify({ node: '24.21.0', execPath: process.execPath, pnpm: '12.21.0', bin: fetched })
    expect(tell(`echo '${answer}'`)).toMatchObject({
      status: 0,
      stdout: 'pnpm --version\n',
      stderr: expect.stringContaining('fetching Node 24.21.0'),
    })
    expect(tell('exit 1')).toMatchObject({ status: 0, stdout: 'pnpm --version\n', stderr: '' })
    rmSync(fetched, { recursive: true })
    expect(tell('exit 1')).toMatchObject({ status: 1 })
  })

  test('CLOISTER_NODE replaces the pinned Node by the newest of a series, and must be a version', () => {
    const [major] = process.versions.node.split('.')
    writeFileSync(join(machine, 'bin/pnpm'), '#!/bin/sh\necho 12.21.0\n')
    expect(tell('exit 1', { CLOISTER_NODE: major })).toMatchObject({ status: 0, stdout: '12.21.0\n', stderr: '' })
    expect(tell('exit 1', { CLOISTER_NODE: '9' }).stderr).toMatch(/^cloister: fetching Node 9 and pnpm/)
    expect(tell('exit 1', { CLOISTER_NODE: 'lts' })).toMatchObject({
      status: 1,
      stderr: 'cloister: CLOISTER_NODE is "lts", expected a version such as 22 or 26.9.0\n',
    })
  })

  const file = (name: string, text: string): void => {
    mkdirSync(join(machine, name, '..'), { recursive: true })
    writeFileSync(join(machine, name), text)
  }
  /** Prepares the pinned programs; pnpm appends its arguments to the file `calls`. */
  const prepare = (): void => {
    const bin = join(machine, 'pinned')
    file('pinned/pnpm', `#!/bin/sh\necho "$*" >> '${join(machine, 'calls')}'\n`)
    chmodSync(join(bin, 'pnpm'), 0o755)
    symlinkSync(process.execPath, join(bin, 'node'))
    const toolchain = { node: '24.21.0', pnpm: '12.21.0', execPath: process.execPath, bin }
    file('node_modules/.cache/cloister-toolchain.json', JSON.stringify(toolchain))
    for (const folder of ['packages/policies', 'apps']) mkdirSync(join(machine, folder), { recursive: true })
    file('packages/a/package.json', '{}')
    file('packages/a/node_modules/x', '')
  }

  test('npm run cloister builds the command line only after a change of sources or of the built file', () => {
    prepare()
    file('apps/cli/package.json', '{}')
    file('packages/a/src/a.ts', 'one')
    const [builds, output] = [join(machine, 'builds'), join(machine, 'apps/cli/dist/cloister.js')]
    file('builds', '')
    file(
      'node_modules/turbo/bin/turbo',
      `const fs = require('fs')
fs.appendFileSync('${builds}', 'x')
fs.mkdirSync('${join(output, '..')}', { recursive: true })
fs.writeFileSync('${output}', 'console.log("cloister")')
if (fs.existsSync('${join(machine, 'late')}')) fs.writeFileSync('${join(machine, 'packages/a/src/late.ts')}', 'late')`,
    )
    const count = (): number => {
      const env = { ...process.env, CLOISTER_NODE: '', PATH: '/usr/bin:/bin' }
      expect(launch(['cloister'], env, join(machine, 'tooling/launch/launch.mjs'))).toMatchObject({
        status: 0,
        stdout: 'cloister\n',
      })
      return readFileSync(builds, 'utf8').length
    }
    expect([count(), count()]).toEqual([1, 1])
    file('packages/a/src/a.ts', 'two')
    expect([count(), count()]).toEqual([2, 2])
    file('packages/a/src/b.ts', 'new')
    expect([count(), count()]).toEqual([3, 3])
    rmSync(join(machine, 'packages/a/src/b.ts'))
    expect([count(), count()]).toEqual([4, 4])
    rmSync(output)
    expect([count(), count()]).toEqual([5, 5])
    file('packages/a/test-results.json', '{}')
    expect(count()).toBe(5)
    // A change during a build causes another build the next time.
    file('late', '')
    file('packages/a/src/a.ts', 'three')
    expect([count(), count()]).toEqual([6, 7])
  })

  test('npm run new-policy calls pnpm install only after a change of a manifest, the lockfile or node_modules', () => {
    prepare()
    file('tooling/new-policy/new-policy.mjs', 'console.log("made")')
    file('calls', '')
    const installs = (): number => {
      const env = { ...process.env, CLOISTER_NODE: '', PATH: '/usr/bin:/bin' }
      expect(launch(['new-policy'], env, join(machine, 'tooling/launch/launch.mjs'))).toMatchObject({
        status: 0,
        stdout: 'made\n',
      })
      return readFileSync(join(machine, 'calls'), 'utf8').split('\n').length - 1
    }
    expect([installs(), installs()]).toEqual([1, 1])
    file('packages/a/package.json', '{"dependencies":{}}')
    expect([installs(), installs()]).toEqual([2, 2])
    rmSync(join(machine, 'packages/a/node_modules'), { recursive: true })
    expect(installs()).toBe(3)
    file('pnpm-lock.yaml', 'x')
    expect([installs(), installs()]).toEqual([4, 4])
    rmSync(join(machine, 'node_modules/.cache/cloister-installed.json'))
    expect(installs()).toBe(5)
  })
})
