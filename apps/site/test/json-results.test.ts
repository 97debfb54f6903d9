// Tests that the output of commands with --json matches the site's schemas.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { metricList } from '@cloister/metrics'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildOnce, root, siteFile, siteFolder } from './built-site.ts'
import { faultsBy, schemaOf } from './schema-faults.ts'

/** Module of the tests of apps/cli that makes a folder in which commands run. */
interface CommandTests {
  readonly Folder: new (cleanUp: (remove: () => void) => void) => {
    readonly write: (name: string, content: string) => string
    readonly cloister: (...args: ReadonlyArray<string>) => Promise<{ readonly stdout: string; readonly stderr: string }>
  }
}

interface Described {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Described>>
}

/** Returns all schemas of objects with a property of the given name, within a schema. */
function schemasWith(name: string, schema: unknown): ReadonlyArray<Described> {
  if (typeof schema !== 'object' || schema === null) return []
  const inside = Object.values(schema).flatMap((each) => schemasWith(name, each))
  return (schema as Described).properties?.[name] === undefined ? inside : [schema, ...inside]
}

/** Returns the names of the JSON Schemas of results. The name of the schema of errors is `error`. */
function ofCommands(): Array<string> {
  const names = globSync('*.json', { cwd: join(siteFolder, 'schemas') }).map((file) => file.split('.')[0])
  return names.filter((name) => !['experiment', 'log', 'speed-series'].includes(name) && !name.startsWith('table-'))
}

const small = '--trace synth:4:60 --topology radix:6'
const cells = { trace: 'synth:4:20', topology: 'radix:6', policy: ['baseline', 'jigsaw'], seed: [1, 2] }
const experiment = JSON.stringify({ cells: [cells] })

/** Command lines with the names of the schemas of their output. Lines without a schema make files for later lines. */
const lines: ReadonlyArray<readonly [schema: string | undefined, line: string]> = [
  ['simulate', `simulate ${small} --policy jigsaw --out run.ndjson --refusals --router partition`],
  ['simulate', `simulate ${small} --policy baseline --estimates requested --overrun kill`],
  [undefined, `simulate ${small} --policy baseline --out other.ndjson`],
  ['metrics', 'metrics run.ndjson'],
  ['metrics', 'metrics run.ndjson other.ndjson --by user --worst spread'],
  ['audit', 'audit run.ndjson --rerun --permutations 1'],
  ['audit', 'audit made.ndjson'],
  ['state', 'state run.ndjson --at 300'],
  ['state', 'state run.ndjson --at 300 --routes'],
  ['state', 'state other.ndjson --at 300 --idle'],
  ['capacity', 'capacity run.ndjson --at 300 --policy jigsaw --policy baseline'],
  ['capacity', 'capacity run.ndjson --every 300 --sizes 2,4'],
  ['metrics', 'metrics run.ndjson --capacity'],
  ['rerun', 'rerun run.ndjson'],
  ['rerun', 'rerun run.ndjson --policy baseline'],
  ['rerun', 'rerun run.ndjson --until 70'],
  ['explain', 'explain run.ndjson --job 40'],
  ['extract', 'extract run.ndjson --record 71 --out one.test.ts'],
  ['diff', 'diff run.ndjson other.ndjson'],
  ['plot', 'plot by-size run.ndjson --out plot.svg'],
  ['export', 'export run.ndjson --to sacct --out sacct.psv'],
  ['query', 'query run.ndjson'],
  ['query', 'query run.ndjson worst-waits --first 3'],
  ['query', 'query run.ndjson idle-by-cause --out idle.parquet'],
  ['sign', 'sign run.ndjson --key key --new-key'],
  ['verify', 'verify run.ndjson --key key.pub'],
  ['import-slurm', 'import slurm --jobs sacct.psv --topology radix:6 --out real.ndjson'],
  ['calibrate', 'calibrate run.ndjson --topology radix:6 --candidates fcfs --by size'],
  ['trace-info', 'trace info synth:4:60 --nodes 54'],
  ['trace-info', 'trace info sacct.psv'],
  ['topology-show', 'topology show radix:6'],
  ['topology-show', 'topology show cab'],
  ['policy-list', 'policy list'],
  ['policy-show', 'policy show jigsaw'],
  ['policy-show', 'policy show jigsaw --topology radix:6'],
  ['policy-test', 'policy test baseline'],
  ['router-list', 'router list'],
  ['router-show', 'router show d-mod-k --topology radix:6'],
  ['router-show', 'router show d-mod-k --topology slurm:uneven.conf'],
  ['router-test', 'router test d-mod-k'],
  ['order-list', 'order list'],
  ['order-show', 'order show fair-share'],
  ['order-test', 'order test wfp'],
  ['sweep', 'sweep e.json'],
  ['sweep', 'sweep e.json --shard 1/2'],
  ['sweep', 'sweep e.json --verify 100%'],
  ['sweep-status', 'sweep status e.json'],
  ['sweep-merge', 'sweep merge e.json --force'],
  ['sweep-report', 'sweep report e.json'],
  ['reproduce', 'reproduce list'],
  ['reproduce', 'reproduce jigsaw-bench --print-experiment'],
  ['fuzz', 'fuzz --runs 1 --policy baseline'],
  ['minimise', `minimise ${small} --policy jigsaw --out small`],
  ['demo', 'demo'],
  ['bench', 'bench --quick --runs 1'],
  ['error', 'metrics none.ndjson'],
  ['error', 'state run.ndjson --seq x'],
]

/**
 * Commands that the test does not run, because they need a cluster or a browser, or take minutes. The type checker
 * compares the results with the schemas, and the tests of apps/cli check each output (`result-check.ts`).
 */
const notRun = ['drive-slurm', 'drive-watchdog', 'interference', 'observe-slurm', 'view']

describe('the JSON Schemas of results', () => {
  let folder: InstanceType<CommandTests['Folder']>
  let remove = (): void => {}

  beforeAll(async () => {
    buildOnce()
    const tests = (await import(pathToFileURL(join(root, 'apps/cli/test/cloister.ts')).href)) as CommandTests
    folder = new tests.Folder((clean) => (remove = clean))
    folder.write('e.json', experiment)
    folder.write('uneven.conf', 'SwitchName=a Nodes=n[1-3]\nSwitchName=b Nodes=n[4-5]\nSwitchName=top Switches=a,b\n')
    folder.write('made.ndjson', '{"seq":0}\n')
  })
  afterAll(() => remove())

  it('the JSON Schemas of the site match the output of every command with --json', async () => {
    const wrong: Array<unknown> = []
    for (const [schema, line] of lines) {
      const { stdout, stderr } = await folder.cloister(...line.split(' '), '--json')
      const found =
        stdout.startsWith('{') || stdout.startsWith('[')
          ? schema === undefined
            ? []
            : faultsBy(schema)(JSON.parse(stdout))
          : [stderr]
      if (schema !== undefined && found.length > 0) wrong.push([line, found])
    }
    expect(wrong).toEqual([])
    const schemas = ofCommands()
    const run = new Set(lines.map(([schema]) => schema).filter((schema) => schema !== undefined))
    expect([...run, ...notRun].sort()).toEqual(schemas.sort())
  })

  it('the site has a JSON Schema for every command with --json, and the schemas find wrong values', () => {
    const pages = globSync('reference/cli/*.html', { cwd: siteFolder }).map(siteFile)
    expect(pages.join('').match(/id="output-of---json/g)).toHaveLength(ofCommands().length - 1)
    for (const page of pages) expect(page.includes('JSON Schema')).toBe(page.includes('--json'))
    expect(faultsBy('verify')({ ok: 'yes' })).toContainEqual(expect.stringContaining('/ok must be boolean'))
    expect(faultsBy('verify')({})).toContainEqual(expect.stringContaining("required property 'problem'"))
  })

  it('the JSON Schemas of the site have the meaning of every metric as in the table of metrics', () => {
    for (const name of ['metrics', 'sweep']) {
      const runs = schemasWith('fragmentation', schemaOf(name))
      expect(runs.length, name).toBeGreaterThan(0)
      for (const run of runs)
        for (const { name: path, meaning } of metricList) {
          const field = path.split('.').reduce<Described | undefined>((at, key) => at?.properties?.[key], run)
          expect(field?.description?.startsWith(meaning), `${name}: ${path}`).toBe(true)
        }
    }
    expect(siteFile('reference/cli/metrics.html')).toContain('Mean time in the queue. In seconds.')
  })

  it('the site has a JSON Schema for the file of an experiment', () => {
    expect(faultsBy('experiment')(JSON.parse(experiment))).toEqual([])
    const configured = { policy: { name: 'jigsaw', config: { densestFirst: true } }, queue: ['fcfs', 'easy:50'] }
    expect(faultsBy('experiment')({ cells: [{ ...cells, ...configured }], note: 'x' })).toEqual([])
    expect(faultsBy('experiment')({ cells: [{ trace: 'x', topology: 'cab' }] })).not.toEqual([])
    expect(faultsBy('experiment')({ cells: [{ ...cells, polcy: 'x' }] })).not.toEqual([])
    expect(faultsBy('experiment')({ cells: [] })).not.toEqual([])
  })
})
