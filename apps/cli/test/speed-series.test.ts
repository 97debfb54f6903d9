// Tests of the file of `bench --append`, which the site draws.
import { Schema } from 'effect'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { type SpeedLine, SpeedLine as Line } from '../src/results/speed-series.ts'
import { bundle, complaint, Folder, inTurn } from './cloister.ts'

const decode = Schema.decodeUnknownSync(Line, { onExcessProperty: 'error' })
const linesOf = (text: string): ReadonlyArray<SpeedLine> =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => decode(JSON.parse(line)))
const series = (folder: Folder): string => readFileSync(join(folder.path, 'speed.ndjson'), 'utf8')
const quick = ['bench', '--quick', '--append', 'speed.ndjson'] as const

describe('bench --append', () => {
  it('appends a line for each case, with the commit, the machine, and the times of all processes', async () => {
    const folder = new Folder()
    const dated = ['--commit', 'one', '--date', '2026-11-27T18:33:00+01:00'] as const
    const { stderr } = await folder.cloister(...quick, '--group', 'growth', '--runs', '2', ...dated)
    expect(stderr).toBe('appended 2 lines to speed.ndjson\n')
    const first = series(folder)
    await folder.cloister(...quick, '--runs', '1', '--commit', 'two')
    expect(series(folder).slice(0, first.length)).toBe(first)
    const lines = linesOf(series(folder))
    expect(lines.map(({ commit, group, trace, runs }) => [commit, group, trace, runs])).toEqual([
      ['one', 'growth', 'synth:8:100', 2],
      ['one', 'growth', 'synth:16:100', 2],
      ['two', 'small', 'synth:16:100', 1],
    ])
    const [{ date, cores, node, cold, warm }, , last] = lines
    expect([date, node]).toEqual(['2026-11-27T17:33:00.000Z', process.versions.node])
    expect(cores).toBeGreaterThan(0)
    for (const { least, median, largest } of [cold.withoutLog, cold.withLog, warm!.withoutLog, warm!.withLog]) {
      expect(least).toBeGreaterThan(0)
      expect(median).toBeCloseTo((least + largest) / 2, 1)
    }
    expect(Math.abs(Date.parse(last.date) - Date.now())).toBeLessThan(3_600_000)
  })

  it('two processes that append at the same time lose no line, also after a last line without its end', async () => {
    const folder = new Folder()
    await folder.cloister(...quick, '--runs', '1', '--commit', 'one')
    folder.write('speed.ndjson', series(folder).trimEnd())
    const append = (name: string) =>
      promisify(execFile)(process.execPath, [bundle, ...quick, '--runs', '1', '--commit', name], { cwd: folder.path })
    await Promise.all(['two', 'three'].map(append))
    expect(new Set(linesOf(series(folder)).map(({ commit }) => commit))).toEqual(new Set(['one', 'two', 'three']))
  })

  it('--program times another build, also a build that cannot repeat a simulation', async () => {
    const folder = new Folder()
    const older = `if (process.argv.includes('--rounds')) { console.error('unknown --rounds'); process.exit(2) }\nprocess.argv[1] = ${JSON.stringify(bundle)}\nawait import(${JSON.stringify(bundle)})\n`
    folder.write('old/cloister.js', older)
    const { stdout } = folder.process(...quick, '--runs', '1', '--commit', 'old', '--program', 'old/cloister.js')
    const [{ commit, warm }] = linesOf(series(folder))
    expect([commit, warm]).toEqual(['old', undefined])
    expect(stdout).toMatch(/\nsynth:16:100 .* baseline +100 +[\d.]+ µs +[\d.]+ µs +none +none /)
  })

  it('a file with other lines is refused by its line and field before the first process, and stays as it was', async () => {
    const folder = new Folder()
    await folder.cloister(...quick, '--runs', '1', '--commit', 'one')
    const [line] = series(folder).split('\n')
    const broken = [
      ['{"seq":0}', 'line 2: seq: found 0. Expected no excess property'],
      ['{}', 'line 2: commit: Missing key'],
      ['17', 'line 2: found 17. Expected object'],
      ['', 'line 2: '],
      [line.replace('"runs":1', '"runs":"1"'), 'line 2: runs: found "1". Expected number'],
      [
        line.replace('{"median":', '{"most":0.1,"median":'),
        'line 2: cold: withoutLog: most: found 0.1. Expected no excess property',
      ],
    ]
    for (const [wrong, told] of broken) {
      folder.write('speed.ndjson', `${line}\n${wrong}\n`)
      expect(complaint(await folder.cloister(...quick, '--commit', 'two'))).toContain(`speed.ndjson, ${told}`)
      expect(series(folder)).toBe(`${line}\n${wrong}\n`)
    }
  })

  it('bench refuses options about a series that have no effect or a wrong value', async () => {
    const folder = new Folder()
    const refused = [
      [['--commit', 'one'], '--commit: needs --append FILE'],
      [['--date', '2026-11-27'], '--date: needs --append FILE'],
      [['--append', 'speed.ndjson'], '--append: needs --commit NAME'],
      [['--append', 'speed.ndjson', '--commit', 'one', '--date', 'today'], '--date: found "today", expected a date'],
      [['--append', 'speed.ndjson', '--commit', 'one', '--compare', bundle], '--compare: cannot be used with'],
      [['--program', bundle, '--compare', bundle], '--compare: cannot be used with --program or --append'],
      [['--program', 'nowhere'], '--program: found "nowhere", expected a file cloister.js'],
    ] as const
    const answers = await inTurn(refused, ([words]) => folder.cloister('bench', '--quick', ...words))
    answers.forEach((answer, at) => expect(complaint(answer)).toContain(refused[at][1]))
  })
})
