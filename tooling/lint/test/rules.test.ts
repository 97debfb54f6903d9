// Every lint rule must find violations: the real configuration lints a workspace of files with a wrong line each.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { foundations, furtherEntries, mayImport } from '../boundaries.mjs'

const root = resolve(import.meta.dirname, '../../..')
const workspace = mkdtempSync(join(tmpdir(), 'cloister-lint-'))
const folders = Object.keys(mayImport).map((folder) => folder.replace('*', 'new'))
const nameOf = (folder: string): string => folder.replace('policies/', 'policy-')
const found = new Map<string, string[]>()
const fixtures = new Map<string, string>()

/** Adds a file to the linted workspace, and returns the path. */
function fixture(folder: string, code: string): string {
  const path = `${folder}/case-${fixtures.size}.ts`
  fixtures.set(path, `${code}\n`)
  return path
}

const bad = (rule: string, folder: string, code: string) => ({ rule, code, path: fixture(folder, code) })

const wrong = [
  bad('eslint(no-restricted-globals)', 'packages/kernel/src', 'export const t: number = Date.now()'),
  bad('eslint(no-restricted-globals)', 'packages/kernel/src', 'export const t: object = new Date(0)'),
  bad('eslint(no-restricted-globals)', 'packages/policies/new/src', 'export const t: number = performance.now()'),
  bad('eslint(no-restricted-globals)', 'packages/trace-io/src/node', 'export const t: string = crypto.randomUUID()'),
  bad('eslint(no-restricted-globals)', 'packages/network/src', "export const t: object = new Intl.NumberFormat('en')"),
  bad('eslint(no-restricted-globals)', 'packages/eventlog/src', "export const t: object = Buffer.from('')"),
  bad('eslint(no-restricted-globals)', 'packages/metrics/src', 'export const t: object = process.env'),
  bad('eslint(no-restricted-globals)', 'packages/eventlog/src', 'export const t: number = setImmediate.length'),
  bad('eslint(no-restricted-properties)', 'packages/placement/src', 'export const t: number = globalThis.Date.now()'),
  bad('eslint(no-restricted-properties)', 'packages/kernel/src', 'export const t: number = Math.random()'),
  bad('eslint(no-restricted-properties)', 'packages/kernel/src', 'export const { random }: Math = Math'),
  ...[
    'log',
    'log2',
    'log10',
    'log1p',
    'exp',
    'expm1',
    'pow',
    'sin',
    'cos',
    'tan',
    'atan2',
    'cbrt',
    'hypot',
    'sinh',
  ].map((name) =>
    bad('eslint(no-restricted-properties)', 'packages/trace-io/src', `export const t: unknown = Math.${name}`),
  ),
  ...['localeCompare', 'toLocaleString', 'toLocaleUpperCase', 'toLocaleLowerCase'].map((name) =>
    bad('eslint(no-restricted-properties)', 'packages/topology/src', `export const t: unknown = 'a'.${name}('b')`),
  ),
  bad('cloister(no-for-in)', 'packages/communication/src', 'for (const key in {}) console.log(key)'),
  bad('cloister(exact-powers)', 'packages/kernel/src', 'export const power = (x: number): number => x ** 2'),
  bad('cloister(exact-powers)', 'packages/kernel/src', 'export const root: number = 2 ** 0.5'),
  bad(
    'cloister(exact-powers)',
    'packages/kernel/src',
    'export function raise(x: number): number { x **= 2; return x }',
  ),
  bad(
    'typescript(require-array-sort-compare)',
    'packages/kernel/src',
    'export const sorted: number[] = [10, 9].sort()',
  ),
  bad(
    'typescript(no-unnecessary-type-assertion)',
    'packages/kernel/src',
    'export const first = (list: number[]): number => list[0]!',
  ),
  bad('eslint(no-restricted-globals)', 'packages/sweep/src', 'export const t: unknown = crypto'),
  bad('typescript(no-floating-promises)', 'apps/cli/src', 'export function start(): void { Promise.resolve(1) }'),
  ...['packages/run/src', 'apps/cli/src', 'apps/cli/test', 'tooling/lint'].flatMap((folder) =>
    [
      'try { yield* step } finally { step.toString() }',
      'try { yield* step } catch { step.toString() }',
      'try { if (step) { for (const each of [step]) yield* each } } catch { step.toString() }',
      'try { step.toString() } catch { yield* step } finally { step.toString() }',
      'try { try { step.toString() } finally { yield* step } } finally { step.toString() }',
    ].map((body) =>
      bad('cloister(no-yield-in-try)', folder, `export function* work(step: Iterable<void>) { ${body} }`),
    ),
  ),
  ...['packages/replay/src', 'packages/run/src', 'apps/cli/src', 'apps/cli/test'].flatMap((folder) =>
    ['QueueDiscipline', 'RunSpec', 'Simulation'].map((type) =>
      bad(
        'cloister(no-cast-to-run)',
        folder,
        `interface ${type} { readonly a: string }\nexport const t = (value: unknown): ${type} => value as ${type}`,
      ),
    ),
  ),
  bad('cloister(imports)', 'packages/topology/src', "import '../../placement/src/index.ts'"),
  bad('cloister(imports)', 'packages/policies/new/src', "export * from '../../jigsaw/src/index.ts'"),
  bad('cloister(imports)', 'packages/topology/test', "import '../../placement/src/index.ts'"),
  bad('cloister(imports)', 'packages/topology/src/deeper', "import '../../test/shapes.ts'"),
  bad('cloister(imports)', 'packages/kernel/src', "import '@cloister/topology/src/idset.ts'"),
  bad('cloister(imports)', 'packages/kernel/test', "import '@cloister/topology/dist/index.js'"),
  bad('cloister(imports)', 'apps/cli/src', "import '@cloister/eventlog/src/node/index.ts'"),
  bad('cloister(imports)', 'apps/viewer/src', "import '@cloister/reproduce'"),
  bad('cloister(imports)', 'apps/cli/src', "import '@cloister/sweep-postgres'"),
  bad('cloister(imports)', 'packages/audit/src', "export const t: unknown = import('@cloister/placement')"),
  bad('cloister(imports)', 'packages/audit/src', "export type T = import('@cloister/placement').Placement"),
  bad('cloister(imports)', 'packages/audit/src', "export type { Placement } from '@cloister/placement'"),
  bad('cloister(imports)', 'packages/metrics/src', "import { readLog } from '@cloister/eventlog/node'\nreadLog()"),
  ...['policies/new', 'run'].map((library) =>
    bad(
      'cloister(imports)',
      `packages/${library}/src`,
      "import { Schema } from 'effect'\nexport const t: unknown = Schema",
    ),
  ),
  ...['topology', 'metrics', 'audit', 'eventlog', 'policies/new'].map((library) =>
    bad('cloister(imports)', `packages/${library}/src`, "import { readFileSync } from 'node:fs'\nreadFileSync('')"),
  ),
]

const cycle = ['one', 'other'].map((name) => `packages/kernel/src/cycle-${name}.ts`)
fixtures.set(cycle[0], "import type { B } from './cycle-other.ts'\nexport type A = B\n")
fixtures.set(cycle[1], "import type { A } from './cycle-one.ts'\nexport type B = A\n")
wrong.push(...cycle.map((path) => ({ rule: 'import(no-cycle)', code: 'a cycle of types', path })))

const right = [
  fixture(
    'apps/cli/src',
    "import { readFileSync } from 'node:fs'\nimport '@cloister/eventlog/node'\nimport '@cloister/policy-jigsaw'\nimport '@cloister/reproduce'\nexport const t: unknown = [readFileSync, Date.now(), Math.log(2)]",
  ),
  fixture('packages/kernel/src', 'export const t: number = 2 ** 32 + Math.floor(Math.sqrt(2))'),
  fixture('packages/kernel/src', 'export const t: Int32Array = new Int32Array(4).sort()'),
  fixture('packages/kernel/src', 'export const t: number[] = [10, 9].sort((a, b) => a - b)'),
  fixture('packages/kernel/src/deeper', "import '../index.ts'"),
  fixture(
    'packages/kernel/test',
    "import '../src/index.ts'\nimport '@cloister/audit'\nexport const t: number = Date.now()",
  ),
  ...[
    'try { console.log() } catch { yield* step }',
    'try { console.log() } finally { yield* step }',
    'yield* step; try { yield step } finally { console.log() }',
    'yield* step; try { const inner = function* () { yield* step }; inner() } finally { console.log() }',
    'yield* step; try { console.log() } finally { console.log() }',
  ].map((body) =>
    fixture('apps/cli/src', `export function* work(step: Iterable<void>): Iterable<unknown> { ${body} }`),
  ),
  fixture('packages/policies/new/src', "import * as Schema from 'effect/Schema'\nexport const t: unknown = Schema"),
  fixture('packages/policies/new/src', "import type { Effect } from 'effect'\nexport type T = Effect.Effect<void>"),
  fixture('packages/policies/new/test', "import { Schema } from 'effect'\nexport const t: unknown = Schema"),
  fixture('packages/run/src/node', "import { Layer } from 'effect'\nexport const t: unknown = Layer"),
  fixture('packages/trace-io/src', "import '../../../traces/manifest.json'"),
  fixture('packages/trace-io/src/node', "import 'node:fs'"),
  fixture(
    'packages/sweep/src',
    "import { readFileSync } from 'node:fs'\nexport const t: unknown = [readFileSync, performance.now(), Buffer]",
  ),
]
fixtures.set(
  'packages/eventlog/src/node/index.ts',
  "import { readFileSync } from 'node:fs'\nexport const t: unknown = [readFileSync, Buffer]\n",
)
fixtures.set(
  'packages/placement/src/testing.ts',
  "import { readFileSync } from 'node:fs'\nexport const t: unknown = readFileSync\n",
)
right.push('packages/eventlog/src/node/index.ts', 'packages/placement/src/testing.ts')

/** All pairs of libraries, with files of `from` that import `to`: in sources, as types, in tests. */
const pairs = folders.flatMap((from) =>
  [...folders, 'policies/other']
    .filter((to) => to !== from)
    .map((to) => {
      const name = `@cloister/${nameOf(to)}`
      return {
        from,
        to,
        src: fixture(`packages/${from}/src`, `import '${name}'`),
        types: fixture(`packages/${from}/src`, `import type { A } from '${name}'\nexport type B = A`),
        test: fixture(`packages/${from}/test`, `import '${name}'`),
      }
    }),
)

beforeAll(() => {
  cpSync(join(root, 'oxlint.config.ts'), join(workspace, 'oxlint.config.ts'))
  for (const file of ['rules.mjs', 'boundaries.mjs'])
    cpSync(join(root, 'tooling/lint', file), join(workspace, 'tooling/lint', file))
  symlinkSync(join(root, 'node_modules'), join(workspace, 'node_modules'), 'junction')
  writeFileSync(
    join(workspace, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: { strict: true, module: 'NodeNext', allowImportingTsExtensions: true, noEmit: true },
    }),
  )
  for (const [path, code] of fixtures) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true })
    writeFileSync(join(workspace, path), code)
  }
  for (const folder of [...folders.map((name) => `packages/${name}`), 'apps/cli', 'apps/viewer', 'tooling/lint'])
    writeFileSync(join(workspace, folder, 'package.json'), '{}')
  const output = join(workspace, 'found.json')
  // Because of the violations oxlint exits with 1, so `|| true` ignores the exit code.
  execFileSync(`${join('node_modules', '.bin', 'oxlint')} --format=json packages apps tooling > found.json || true`, {
    cwd: workspace,
    shell: true,
  })
  for (const { filename, code } of JSON.parse(readFileSync(output, 'utf8')).diagnostics as {
    filename: string
    code: string
  }[]) {
    const path = filename.replaceAll('\\', '/')
    found.set(path, [...(found.get(path) ?? []), code])
  }
})

afterAll(() => rmSync(workspace, { recursive: true }))

const rulesAt = (path: string): string[] => found.get(path) ?? []

describe('lint finds violations', () => {
  test.each(wrong)('lint finds a violation of $rule in $path: $code', ({ rule, path }) =>
    expect(rulesAt(path)).toContain(rule),
  )
})

describe('lint passes correct code', () => {
  test.each(right)('lint finds no violation in %s', (path) => expect(rulesAt(path)).toEqual([]))
})

describe('package boundaries, every pair', () => {
  const listed = (from: string, to: string): string | undefined => {
    const allowed = mayImport[from.replace('policies/new', 'policies/*') as keyof typeof mayImport] as readonly string[]
    return allowed.find((name) => name.split(' ')[0] === nameOf(to))
  }
  test.each(pairs)(
    'lint allows imports from $from to $to as boundaries.mjs says',
    ({ from, to, src, types, test: tests }) => {
      const entry = listed(from, to)
      const expectation = (allowed: boolean) => (allowed ? [] : ['cloister(imports)'])
      expect(rulesAt(src)).toEqual(expectation(entry !== undefined && !entry.endsWith('(types)')))
      expect(rulesAt(types)).toEqual(expectation(entry !== undefined))
      expect(rulesAt(tests)).toEqual(expectation(entry !== undefined || !foundations.includes(from)))
    },
  )
})

test('each entry of `furtherEntries` in boundaries.mjs is in the `exports` of its package', () => {
  for (const entry of furtherEntries) {
    const [folder, name] = entry.split('/')
    const parent = ['packages', 'apps', 'tooling'].find((each) => existsSync(join(root, each, folder)))!
    const manifest = JSON.parse(readFileSync(join(root, parent, folder, 'package.json'), 'utf8'))
    expect(Object.keys(manifest.exports)).toContain(`./${name}`)
  }
})
