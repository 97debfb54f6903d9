import { Effect } from 'effect'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { benchGroups } from '../src/bench/cases.ts'
import { programWith } from '../src/cloister.ts'
import { commandHelp } from '../src/reference.ts'
import { processTerminal, Terminal } from '../src/terminal/terminal.ts'
import { Folder, bundle, complaint, namesIn } from './cloister.ts'

describe('demo', () => {
  it('demo prints a table of two policies, writes the logs into runs/, and prints the next commands for a newcomer', async () => {
    const folder = new Folder()
    const { code, stdout } = folder.run([bundle, 'demo'], { npm_lifecycle_event: 'start' })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^baseline +9\d\.\d %.* ok +runs/m)
    expect(stdout).toMatch(/^jigsaw +9\d\.\d %.* ok +runs/m)
    expect(stdout).toContain('npm run cloister -- metrics runs/synth-16-baseline.ndjson runs/synth-16-jigsaw.ndjson')
    const named = [...stdout.matchAll(/npm run cloister -- (\w+)/g)].map(([, command]) => command)
    const { subcommands } = await programWith(() => false)
    const known = subcommands.flatMap(({ commands }) => commands.map(({ name }) => name))
    expect(known).toEqual(expect.arrayContaining(named))
    expect(readdirSync(join(folder.path, 'runs'))).toEqual(['synth-16-baseline.ndjson', 'synth-16-jigsaw.ndjson'])
  })
})

describe('bench', () => {
  it('bench prints cold and warm times of simulations with and without a log, and of reading the log, for each group', async () => {
    const report = await new Folder().json('bench', '--quick', '--runs', '1', '--group', 'all')
    const { results } = report as {
      readonly results: ReadonlyArray<{ readonly group: string; readonly options: string }>
    }
    const groups = results.map(({ group, options }) => `${group} ${options}`.trim())
    const contention = '--overrun run-on --communication 90%:recursive-doubling:50% --run-times contention'
    const options = ['options --queue conservative:50', `options ${contention}`]
    expect(groups).toEqual(['small', 'large', 'growth', 'growth', 'policies', ...options])
    expect(namesIn(report)).toMatchInlineSnapshot(`
      {
        "node": "string",
        "processor": "string",
        "results": [
          {
            "cold": {
              "withLog": {
                "jobs": "number",
                "microsecondsPerJob": "number",
                "peakMemoryBytes": "number",
                "processSeconds": "number",
                "searchBounds": "number",
              },
              "withoutLog": {
                "jobs": "number",
                "microsecondsPerJob": "number",
                "peakMemoryBytes": "number",
                "processSeconds": "number",
                "searchBounds": "number",
              },
            },
            "group": "string",
            "nodesPerJob": "number",
            "options": "string",
            "policy": "string",
            "reading": {
              "audit": "number",
              "metrics": "number",
              "seek": "number",
            },
            "topology": "string",
            "trace": "string",
            "warm": {
              "withLog": "number",
              "withoutLog": "number",
            },
          },
        ],
        "runs": "number",
      }
    `)
  })

  it('bench --compare prints ratios of the cold times of two programs', async () => {
    const words = ['bench', '--quick', '--runs', '1', '--compare', bundle] as const
    const { stdout } = await new Folder().cloister(...words)
    expect(stdout).toMatch(/^small\ntrace +topology +policy +cold +with log +metrics +audit +seek\n/)
    expect(stdout).toMatch(/\nsynth:16:100 +radix:16 +baseline( +[\d.]+ \([\d.]+ to [\d.]+\)){5}\n\nCold times/)
  })

  it('the group policies of bench has all built-in policies', async () => {
    const listed = (await new Folder().json('policy', 'list')) as { readonly builtin: ReadonlyArray<{ name: string }> }
    expect(benchGroups.policies.cases.map(({ policy }) => policy)).toEqual(listed.builtin.map(({ name }) => name))
  })

  it('bench refuses an unknown group, and names the groups', async () => {
    expect(complaint(await new Folder().cloister('bench', '--group', 'small,huge'))).toContain(
      '--group: found "huge", expected all, or names of small, large, growth, policies, options, separated by commas',
    )
  })

  it('bench refuses --compare with a path without a Cloister', async () => {
    expect(complaint(await new Folder().cloister('bench', '--compare', 'nowhere'))).toContain(
      '--compare: found "nowhere", expected a file cloister.js, or a folder with an installed or built Cloister',
    )
  })

  it('bench refuses --runs 0', async () => {
    expect(complaint(await new Folder().cloister('bench', '--runs', '0'))).toContain('--runs: found 0')
  })
})

describe('cloister', () => {
  it('cloister keeps compiled code only in the cache of the user, and starts without a cache', () => {
    const folder = new Folder()
    const kept = { XDG_CACHE_HOME: join(folder.path, 'cache'), TMPDIR: join(folder.path, 'tmp') }
    expect(folder.run([bundle, '--version'], kept).code).toBe(0)
    expect(readdirSync(folder.path)).toEqual(['cache'])
    expect(readdirSync(join(folder.path, 'cache'))).toEqual(['cloister'])
    expect(readdirSync(join(folder.path, 'cache/cloister'))).not.toEqual([])
    folder.write('file', '')
    const refused = folder.run([bundle, '--version'], { XDG_CACHE_HOME: join(folder.path, 'file') })
    expect({ code: refused.code, stderr: refused.stderr }).toEqual({ code: 0, stderr: '' })
  })

  it('cloister enables the compile cache before any large module is loaded', () => {
    const importedBy = (part: string): ReadonlyArray<string> =>
      [...readFileSync(join(dirname(bundle), part), 'utf8').matchAll(/^import .*["'](\.\/.*)["'];$/gm)].map(
        ([, path]) => path,
      )
    const first = importedBy(basename(bundle))
    expect(first).toHaveLength(1)
    expect(first.flatMap(importedBy)).toEqual([])
  })

  it('cloister prints version and help', async () => {
    const folder = new Folder()
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))
    expect((await folder.cloister('--version')).stdout).toBe(`cloister v${version}\n`)
    expect(folder.process('--version').stdout).toBe(`cloister v${version}\n`)
    expect((await folder.cloister('simulate', '--help')).stdout).toContain('--policy-config JSON')
    expect((await folder.cloister()).stdout).toContain('FIRST STEPS')
  })

  it('--completions prints a script with every command and one line of description, for each shell', async () => {
    const { subcommands } = await programWith(() => false)
    const names = subcommands.flatMap(({ commands }) => commands.map(({ name }) => name))
    for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
      const { stdout } = await new Folder().cloister('--completions', shell)
      expect(names.filter((name) => !stdout.includes(name))).toEqual([])
      expect(stdout).not.toContain('The auditor shares no code with the simulator')
    }
  })

  it('bash completes commands, options and values of cloister after one line, also for a function of the shell', () => {
    const complete = (line: string): string =>
      `COMP_WORDS=(${line}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); COMP_LINE='${line}'; COMP_POINT=${line.length}; _cloister cloister "\${COMP_WORDS[COMP_CWORD]}" x; echo "\${COMPREPLY[@]}"`
    const script = `cloister() { "$NODE" "$BUNDLE" "$@"; }
      eval "$(cloister --completions bash)"; complete -p cloister
      ${['cloister simul', 'cloister simulate --que', 'cloister metrics --worst spr'].map(complete).join('\n')}`
    const env = { ...process.env, NODE: process.execPath, BUNDLE: bundle }
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { env, encoding: 'utf8' })
    expect([stdout, stderr]).toEqual(['complete -F _cloister cloister\nsimulate\n--queue\nspread\n', ''])
  })

  it('cloister prints the same bytes without colours for any NO_COLOR, FORCE_COLOR and TERM, also on a terminal', () => {
    const folder = new Folder()
    const terminal = 'data:text/javascript,process.stdout.isTTY=process.stderr.isTTY=true'
    const environments = [{ TERM: 'xterm-256color', FORCE_COLOR: '1' }, { NO_COLOR: '1' }, { TERM: 'dumb' }]
    for (const words of [['state', '--help'], ['simulat']]) {
      const [first, ...others] = environments.map((env) => folder.run(['--import', terminal, bundle, ...words], env))
      expect(first.stdout + first.stderr).toMatch(/^[ -~\n]{30,}$/)
      for (const other of others) expect(other).toEqual(first)
    }
  })

  it('progress needs a terminal that can replace a line', () => {
    const isTTY = Object.getOwnPropertyDescriptor(process.stderr, 'isTTY')
    const isWatched = (term: string): boolean => {
      vi.stubEnv('TERM', term)
      return Effect.runSync(Effect.provide(Effect.map(Terminal, (found) => found.isWatched), processTerminal)) // oxfmt-ignore
    }
    try {
      Object.defineProperty(process.stderr, 'isTTY', { value: true, configurable: true })
      expect([isWatched('xterm'), isWatched('dumb')]).toEqual([true, false])
    } finally {
      vi.unstubAllEnvs()
      if (isTTY === undefined) Reflect.deleteProperty(process.stderr, 'isTTY')
      else Object.defineProperty(process.stderr, 'isTTY', isTTY)
    }
  })

  it('the help describes every command and option in a first line of at most 72 characters', async () => {
    const helps = await commandHelp(100)
    expect(helps.length).toBeGreaterThan(35)
    for (const { command, text } of helps) {
      expect(text).toContain(`cloister ${command}`.trim())
      const lines = text.split('\n\nEXAMPLES')[0].split('\n')
      const first = lines.flatMap((line, at) => (/^ {2}(--|\S+(\.{3})?$)/.test(line) ? [lines[at + 1].trim()] : []))
      for (const line of [lines[0], ...first]) expect(line, command).toMatch(/^.{3,72}$/)
    }
  })

  it('the help of the program has the name and the first line of the description of every command', async () => {
    const listed = async (isNeeded: boolean): Promise<ReadonlyArray<string>> => {
      const { subcommands } = await programWith(() => isNeeded)
      const commands = subcommands.flatMap((group) => group.commands)
      return commands.map(({ name, description }) => `${name}: ${description?.split('\n', 1)[0]}`)
    }
    expect(await listed(false)).toEqual(await listed(true))
  })

  it('the help is wrapped at the width of the terminal', async () => {
    for (const { text } of await commandHelp(60)) {
      const described = text.split('\n\nEXAMPLES')[0]
      expect(described.match(/^ {6}(?=.{55}).*\S .*$/gm)).toBeNull()
    }
  })

  it('the help lists the commands in five groups, with the ten commands of first steps first', async () => {
    const { stdout } = await new Folder().cloister('--help')
    const groups = [...stdout.matchAll(/^([A-Z ]+)\n((?: {2}[a-z]+ +\S.*\n)+)/gm)].map(([, group, lines]) => [
      group,
      lines.match(/^ {2}[a-z]+/gm)!.length,
    ])
    expect(groups.filter(([group]) => group !== 'USAGE')).toEqual([
      ['FIRST STEPS', 10],
      ['ONE RUN', 8],
      ['MANY RUNS', 4],
      ['DEVELOPMENT OF A POLICY', 7],
      ['REAL MACHINES', 3],
    ])
  })

  it('--help and cloister help show the options of a command in groups', async () => {
    const folder = new Folder()
    const { stdout } = await folder.cloister('help', 'simulate')
    expect(stdout.match(/^[A-Z]+(?: [A-Z]+)*$/gm)).toEqual([
      'USAGE',
      'JOBS',
      'MACHINE',
      'POLICY',
      'QUEUE',
      'RUN TIMES',
      'OUTPUT',
      'EXAMPLES',
    ])
    expect((await folder.cloister('simulate', '--help')).stdout).toBe(stdout)
    expect((await folder.cloister('help', 'sweep', 'merge')).stdout).toContain('cloister sweep merge')
  })

  it('cloister refuses the former name of a command, and prints the present name', async () => {
    expect(complaint(await new Folder().cloister('replay', 'run.ndjson'))).toContain(
      'the command replay is now called state',
    )
    expect(complaint(await new Folder().cloister('constructor'))).toContain('Unknown subcommand "constructor"')
  })

  it('cloister suggests a command with a similar name', async () => {
    expect(complaint(await new Folder().cloister('simulat'))).toMatch(/Unknown subcommand "simulat"[^]*simulate/)
  })

  it('cloister refuses an old version of Node with a message, before anything else', () => {
    const old = `data:text/javascript,${encodeURIComponent("Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })")}`
    const { code, stderr } = new Folder().run(['--import', old, bundle, 'policy', 'list'])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'cloister needs Node 22.15 or newer (for zstd-compressed logs); this is Node 20.20.2.\n',
    })
  })

  it('cloister ends without a message if the reader of the output closes the pipe', async () => {
    const child = spawn(process.execPath, [bundle, 'trace', 'generate', 'synth:16:20000'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.once('data', () => child.stdout.destroy())
    let stderr = ''
    child.stderr.on('data', (chunk) => (stderr += chunk))
    await once(child, 'close')
    expect(stderr).toBe('')
  })
})
