/** Tests of the pictures and the numbers of `cloister plot`, without a browser. */
import type { Bars } from '@cloister/figures'
import type { BarChart } from '@cloister/reproduce'
import type { CellResult } from '@cloister/sweep'
import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { type KindName, kindNames, kinds, kindsThatTake } from '../src/plot/kinds.ts'
import { QueueSteps } from '../src/plot/over-time.ts'
import type { KindOptions } from '../src/plot/request.ts'
import { fileNames } from '../src/plot/run-names.ts'
import { complaint, Folder } from './cloister.ts'

/** Font of Debian's package fonts-dejavu-core. */
const FONT = '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf'

const docs = join(import.meta.dirname, '../../../docs')
const page = readFileSync(join(docs, 'figures.md'), 'utf8')
const commands = [...page.matchAll(/^\$ cloister (.*)$/gm)].map(([, command]) => command.split(' '))

/** Folder with the runs and the sweep of the documents' page on figures. */
let folder: Folder
const read = (file: string): string => readFileSync(join(folder.path, file), 'utf8')

beforeAll(async () => {
  folder = new Folder(afterAll)
  cpSync(join(docs, 'figures'), join(folder.path, 'docs/figures'), { recursive: true })
  for (const command of commands)
    if (command[0] !== 'plot') expect((await folder.cloister(...command)).code, command.join(' ')).toBe(0)
})

/** Files of each kind, for tests that draw every kind. */
const filesOf = (kind: KindName): ReadonlyArray<string> =>
  kinds[kind].input === 'results'
    ? ['sweep.ndjson']
    : kinds[kind].input === 'one log'
      ? ['jigsaw.ndjson']
      : ['baseline.ndjson', 'jigsaw.ndjson']

/** Options without which a kind draws nothing. */
const needed: Partial<Record<KindName, ReadonlyArray<string>>> = { fabric: ['--at', '18000'] }

describe('the pictures of the documents', () => {
  it.each(commands.filter(([name]) => name === 'plot').map((command) => [command.join(' '), command] as const))(
    'cloister %s draws the stored picture',
    async (_, command) => {
      const out = command.includes('--out') ? command[command.indexOf('--out') + 1] : `${command[1]}.svg`
      expect(page).toContain(`(figures/${out})`)
      expect((await folder.cloister(...command, '--force')).code).toBe(0)
      await expect(read(out)).toMatchFileSnapshot(join(docs, 'figures', out))
    },
  )

  it('the page on figures has a section with a picture of each kind', () => {
    for (const kind of kindNames) expect(page).toMatch(new RegExp(`### ${kind}\n[^]*?cloister plot ${kind} `))
  })
})

/** A value of each option that some kinds take. */
const values = (kind: KindName): Readonly<Record<keyof KindOptions, ReadonlyArray<string>>> => ({
  of: [kind === 'compare' ? 'wait.mean' : 'runtime'],
  where: [kind === 'compare' ? 'policy=jigsaw|laas queue=easy:50' : 'size>8'],
  at: ['30000'],
  by: ['policy'],
  beside: ['docs/figures/rows.csv'],
  marks: ['bars'],
  scale: ['linear'],
  names: [kind === 'compare' ? 'A,B,C,D' : 'A,B'],
  'row-names': ['A,B'],
  'x-range': [kind === 'compare' ? '50%:100%' : '1h:8h'],
  'y-range': [kind === 'by-size' ? '1h:9h' : ['gantt', 'capacity'].includes(kind) ? '0:64' : '50%:100%'],
  time: ['clock'],
  policy: ['ta'],
  panels: [],
  patterns: [],
})

describe('the options of the kinds', () => {
  it.each(kindNames)('%s draws another picture by each option that it takes, and refuses all others', async (kind) => {
    folder.write('docs/figures/rows.csv', 'runs,paper\n"synth:4:60, baseline",0.9\n')
    const draw = (...more: ReadonlyArray<string>) =>
      folder.cloister('plot', kind, ...filesOf(kind), ...more, '--out', 'x.svg', '--force')
    expect((await draw(...(needed[kind] ?? []))).code).toBe(0)
    const plain = read('x.svg')
    const takes: ReadonlyArray<string> = kinds[kind].takes
    for (const [option, value] of Object.entries(values(kind)) as ReadonlyArray<
      [keyof KindOptions, ReadonlyArray<string>]
    >) {
      // The bars of several logs have no axis of time, so these options go with panels. Points have no patterns.
      const panels = kind === 'node-time' && ['x-range', 'time', 'y-range'].includes(option) ? ['--panels'] : []
      const bars = kind === 'compare' && option === 'patterns' ? ['--marks', 'bars', '--by', 'policy'] : []
      if (kind === 'compare' && option === 'row-names') bars.push('--by', 'policy')
      const given = [`--${option}`, ...value, ...panels, ...bars]
      if (!takes.includes(option)) {
        expect(complaint(await draw(...given)), given.join(' ')).toContain(
          `--${option} is only for ${kindsThatTake(option)}`,
        )
        continue
      }
      const without = [...panels, ...bars]
      if (without.length > 0) expect((await draw(...without)).code).toBe(0)
      const before = without.length > 0 ? read('x.svg') : plain
      const answer = await draw(...given)
      expect(answer.code, `${given.join(' ')}: ${answer.stderr}`).toBe(0)
      expect(read('x.svg') === before, `${kind} ${given.join(' ')} changes nothing`).toBe(false)
    }
  })

  it('plot refuses senseless options with a message', async () => {
    folder.write('bad.csv', 'runs,paper\n"synth:4:60, ta",0.9\n')
    folder.write('wrong.csv', 'a,b,c\n')
    for (const [args, expected] of [
      [['ecdf', 'jigsaw.ndjson', '--of', 'speed'], 'found speed, expected one of size, submit'],
      [['ecdf', 'jigsaw.ndjson', '--where', 'wiat>1'], 'expected one of the fields'],
      [['node-time', 'jigsaw.ndjson', '--width', '3'], 'found 3, expected 120 to 10000'],
      [['node-time', 'jigsaw.ndjson', '--width-mm', '1'], 'found 1, expected 30 to 1000'],
      [['node-time', 'jigsaw.ndjson', '--width-mm', '84', '--width', '300'], 'exclude each other'],
      [['node-time', 'jigsaw.ndjson', '--type-pt', '400'], 'found 400, expected 4 to 40'],
      [['node-time', 'jigsaw.ndjson', '--out', 'x.svg', '--csv', 'x.svg'], 'two outputs have this name'],
      [['node-time', 'jigsaw.ndjson', '--out', 'x.gif'], 'found x.gif, expected a name that ends in .svg, .pdf, .png'],
      [['node-time', 'jigsaw.ndjson', '--font', 'x.ttf'], '--font is only for PDF and PNG'],
      [['node-time', 'jigsaw.ndjson', 'baseline.ndjson', '--time', 'clock'], '--panels draws times'],
      [
        ['ecdf', 'jigsaw.ndjson', '--names', 'A,B'],
        'found 2 names, expected 1, the number of logs, in this order:\n  jigsaw',
      ],
      [['ecdf', 'jigsaw.ndjson', 'baseline.ndjson', '--names', 'A,A'], 'found A twice'],
      [['ecdf', 'jigsaw.ndjson', '--x-range', '3h:1h'], 'found 3h:1h, expected FROM:TO with FROM below TO'],
      [['ecdf', 'jigsaw.ndjson', '--y-range', '1h:2h'], 'expected FROM:TO with FROM below TO: 0.5:1 or 50%:100%'],
      [['gantt', 'jigsaw.ndjson', '--y-range', '0:50%'], 'expected FROM:TO with FROM below TO: 0:500'],
      [['fabric', 'jigsaw.ndjson'], 'fabric needs --at T'],
      [['fabric', 'jigsaw.ndjson', 'baseline.ndjson', '--at', '1'], 'fabric draws one log, found 2 files'],
      [['compare', 'jigsaw.ndjson'], 'jigsaw.ndjson'],
      [['compare', 'sweep.ndjson', '--patterns'], '--patterns needs --marks bars'],
      [['compare', 'sweep.ndjson', '--of', 'policy'], 'expected a metric'],
      [['compare', 'sweep.ndjson', '--by', 'queue'], 'found queue, expected options that differ between the runs'],
      [['compare', 'sweep.ndjson', '--by', 'policy,queue'], 'found queue, expected options that differ'],
      [['compare', 'sweep.ndjson', '--row-names', 'A,B'], '--row-names needs --by'],
      [
        ['compare', 'sweep.ndjson', '--by', 'policy', '--row-names', 'A'],
        '--row-names: found 1 name, expected 2, the number of rows, in this order:\n  synth:4:60\n',
      ],
      [['compare', 'sweep.ndjson', '--width', '200'], 'half of the width of the picture; --by moves'],
      [
        ['compare', 'sweep.ndjson', '--width', '200'],
        '--names NAME,NAME,… gives shorter names to the rows, in this order:\n  synth:4:60, ',
      ],
      [['compare', 'sweep.ndjson', '--beside', 'bad.csv'], 'has a value for synth:4:60, ta, expected one of'],
      [['compare', 'sweep.ndjson', '--beside', 'wrong.csv'], 'wrong.csv:1: found a,b,c, expected the columns runs'],
      [['compare', 'sweep.ndjson', '--where', 'size>8'], 'found size>8, expected OPTION=VALUE or OPTION!=VALUE'],
      [['compare', 'sweep.ndjson', '--where', 'policy=ta'], 'expected a query that at least one result'],
      [['node-time', 'none.ndjson'], 'none.ndjson'],
    ] as const)
      expect(complaint(await folder.cloister('plot', ...args, '--force')), args.join(' ')).toContain(expected)
  })

  it('regression: compare pools no draws of jobs with draws of seeds, and draws the runs of one draw by --where', async () => {
    const lines = read('sweep.ndjson').trim().split('\n')
    const ofTraces = lines
      .map((line) => JSON.parse(line) as CellResult)
      .filter(({ cell }) => cell.policy === 'jigsaw' && cell.trace.startsWith('synth:4:'))
    const ofSeeds = [2, 3].map((seed) => ({
      ...ofTraces[0],
      cell: { ...ofTraces[0].cell, seed },
      metrics: { ...ofTraces[0].metrics, makespan: seed },
    }))
    folder.write('mixed.ndjson', [...ofTraces, ...ofSeeds].map((each) => `${JSON.stringify(each)}\n`).join(''))
    const mixed = complaint(await folder.cloister('plot', 'compare', 'mixed.ndjson', '--force'))
    expect(mixed).toContain('jigsaw: the runs differ in trace (3 values) and in seed (3 values)')
    const first = ofTraces[0].cell.trace
    expect(mixed).toContain(`--where 'trace=${first}' or --where 'seed=' draws such runs`)
    for (const [where, runs] of [
      [`trace=${first}`, 3],
      ['seed=', 3],
    ] as const) {
      const written = ['--where', where, '--csv', 'm.csv', '--force']
      expect((await folder.cloister('plot', 'compare', 'mixed.ndjson', ...written)).code).toBe(0)
      const [heading, row] = read('m.csv').split('\n')
      expect(heading).toBe('runs,count,utilization.steady,interval.low,interval.high')
      expect(row).toMatch(new RegExp(`^jigsaw,${runs},`))
    }
  })

  it('compare takes the names of --names and --row-names in the table of --beside', async () => {
    const labels = ['--by', 'policy', '--names', 'A,B', '--row-names', 'first,second']
    folder.write('named.csv', 'runs,series,Table 2\nfirst,A,0.9\nsecond,B,0.8\n')
    const beside = ['--beside', 'named.csv', '--csv', 'named-out.csv', '--force']
    const answer = await folder.cloister('plot', 'compare', 'sweep.ndjson', ...labels, ...beside)
    expect(answer.code, answer.stderr).toBe(0)
    const [heading, ...rows] = read('named-out.csv').trim().split('\n')
    expect(heading).toMatch(/,Table 2\.utilization\.steady$/)
    expect(rows.sort((a, b) => (a < b ? -1 : 1)).map((row) => /^(\w+,\w),.*?([^,]*)$/.exec(row)!.slice(1))).toEqual([
      ['first,A', '0.9'],
      ['first,B', ''],
      ['second,A', ''],
      ['second,B', '0.8'],
    ])
  })

  it('gantt refuses to draw more than 10,000 rectangles, and draws a part of the times', async () => {
    const own = new Folder()
    const jobs = ['--trace', 'synth:1:10500', '--topology', 'radix:16', '--policy', 'baseline']
    await own.cloister('simulate', ...jobs, '--out', 'many.ndjson')
    expect(complaint(await own.cloister('plot', 'gantt', 'many.ndjson'))).toContain('at most 10000 are drawn')
    expect((await own.cloister('plot', 'gantt', 'many.ndjson', '--x-range', '1h:2h')).code).toBe(0)
  })

  it('--time clock refuses a log without an epoch', async () => {
    const own = new Folder()
    await own.log()
    expect(complaint(await own.cloister('plot', 'queue', 'run.ndjson', '--time', 'clock'))).toContain(
      'the header of run.ndjson has no epoch',
    )
  })
})

describe('the files of plot', () => {
  it('the CSV file has the numbers of the metrics, and the shares of each moment add up to 1', async () => {
    const { nodeTime } = (await folder.json('metrics', 'jigsaw.ndjson')) as {
      readonly nodeTime: Readonly<Record<string, number>>
    }
    await folder.cloister('plot', 'node-time', 'jigsaw.ndjson', '--csv', 'n.csv', '--force')
    const causes = read('n.csv').trim().split('\n').slice(1)
    expect(causes.reduce((sum, line) => sum + Number(line.split(',')[2]), 0)).toBeCloseTo(causes.length / 6, 6)
    const logs = ['jigsaw.ndjson', 'baseline.ndjson']
    const bars = await folder.json('plot', 'node-time', ...logs, '--out', 'b.svg', '--csv', 'b.csv')
    expect(bars).toMatchObject({ files: ['b.svg', 'b.csv'], rows: 12 })
    expect(read('b.csv').split('\n')[1]).toBe(`run,busy,${nodeTime['busy']}`.replace('run', 'jigsaw'))
  })

  it('the Vega-Lite file has the names and the numbers of the runs', async () => {
    await folder.cloister('plot', 'utilization', ...filesOf('utilization'), '--vega', 'u.vl.json', '--force')
    const { $schema, layer } = JSON.parse(read('u.vl.json')) as {
      readonly $schema: string
      readonly layer: ReadonlyArray<{ readonly data: { readonly values: ReadonlyArray<Record<string, unknown>> } }>
    }
    expect($schema).toContain('vega-lite')
    expect(layer.map(({ data }) => data.values[0]['run'])).toEqual(['baseline', 'jigsaw'])
  })

  it('a torn log is drawn up to its last record, with a remark and exit code 3', async () => {
    folder.write('torn.ndjson', read('jigsaw.ndjson').slice(0, 20_000))
    const { code, stderr } = await folder.cloister('plot', 'queue', 'torn.ndjson', '--out', 'torn.svg')
    expect([code, stderr.includes('torn')]).toEqual([3, true])
    expect(read('torn.svg')).toContain('<svg')
  })

  it('PDF and PNG name the package to install if the package is missing', async () => {
    for (const [ending, name] of [
      ['pdf', 'pdfkit'],
      ['png', '@resvg/resvg-js'],
    ])
      expect(complaint(await folder.cloister('plot', 'queue', 'jigsaw.ndjson', '--out', `q.${ending}`))).toContain(
        `not installed in the working directory: npm install ${name}`,
      )
    const checkout = new Folder()
    checkout.write('apps/cli/src/start.ts', '')
    const refused = await checkout.cloister('plot', 'queue', await checkout.log(), '--out', 'q.png')
    expect(complaint(refused)).toContain(
      `in another folder, run npm install @resvg/resvg-js, and then npm run --silent --prefix ${checkout.path} cloister --`,
    )
  })

  it('PDF has the size in mm, patterns and standard fonts, and PNG 300 dots per inch', async () => {
    symlinkSync(join(import.meta.dirname, '../node_modules'), join(folder.path, 'node_modules'))
    const size = ['--width-mm', '84', '--height-mm', '60', '--patterns']
    const bytes = async (out: string, ...more: ReadonlyArray<string>): Promise<Buffer> => {
      const { code, stderr } = await folder.cloister('plot', 'node-time', ...more, ...size, '--out', out, '--force')
      expect(code, stderr).toBe(0)
      return readFileSync(join(folder.path, out))
    }
    const pdf = await bytes('n.pdf', 'jigsaw.ndjson')
    const text = pdf.toString('latin1')
    expect(text).toMatch(/^%PDF-/)
    const [, width, height] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(text)!
    expect([Number(width), Number(height)].map((points) => Math.round((points / 72) * 25.4))).toEqual([84, 60])
    expect(text).toContain('/BaseFont /Helvetica')
    expect(text).toContain('/PatternType 1')
    expect(pdf.equals(await bytes('n.pdf', 'jigsaw.ndjson'))).toBe(true)
    const refused = ['plot', 'queue', 'jigsaw.ndjson', '--names', 'wait≤1h', '--out', 'q.pdf', '--force']
    expect(complaint(await folder.cloister(...refused))).toContain('lacks the letter "≤" in "wait≤1h"')
    for (const out of ['q.pdf', 'q.png']) {
      const answer = await folder.cloister(
        'plot',
        'queue',
        'jigsaw.ndjson',
        '--font',
        'bad.csv',
        '--out',
        out,
        '--force',
      )
      expect(complaint(answer)).toContain('--font: found bad.csv, expected a TrueType or OpenType font')
    }
    if (!existsSync(FONT)) return console.warn(`${FONT} is missing: no font is embedded, and no PNG is drawn`)
    const embedded = await bytes('n.pdf', 'jigsaw.ndjson', '--font', FONT, '--names', 'wait≤1h')
    expect(embedded.toString('latin1')).toMatch(/\/FontFile2/)
    const png = await bytes('n.png', 'jigsaw.ndjson', '--font', FONT)
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([992, 709])
  })
})

it('`QueueSteps` counts waiting jobs and their nodes as the means over equal spans', () => {
  const steps = new QueueSteps()
  const job = { seq: 0, user: undefined }
  for (const record of [
    { type: 'submit', t: 0, job: 'a', size: 4, ...job },
    { type: 'submit', t: 10, job: 'b', size: 2, ...job },
    { type: 'allocate', t: 10, job: 'a', ...job },
    { type: 'cancel', t: 15, job: 'b', ...job },
    { type: 'cancel', t: 16, job: 'a', ...job },
    { type: 'requeue', t: 20, job: 'a', ...job },
  ])
    steps.add(record as never)
  expect(steps.means(0, 40, 4)).toEqual({ t: [0, 10, 20, 30, 40], jobs: [1, 0.5, 1, 1, 1], nodes: [4, 1, 4, 4, 4] })
})

it('`fileNames` shortens names of files if the short names are distinct', () => {
  expect(fileNames(['a/run.ndjson', 'b/other.ndjson.zst'])).toEqual(['run', 'other'])
  const same = ['a/run.ndjson', 'b/run.ndjson', 'a/run.ndjson']
  expect(fileNames(same)).toEqual(['a/run.ndjson', 'b/run.ndjson', 'a/run.ndjson (3)'])
})

it('drawBars accepts every chart of a report of @cloister/reproduce, by the type check', () => {
  expectTypeOf<BarChart>().toEqualTypeOf<Bars>()
})
