import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { policyChecks, runChecks } from '@cloister/placement/checks'
import { baseline } from '@cloister/policy-baseline'
import { Effect } from 'effect'
import { afterAll, describe, expect, it } from 'vitest'
import { type AnyPolicy, run } from '../src/index.ts'
import { nodeServices, Program } from '../src/node/index.ts'

const kits = join(import.meta.dirname, '../../placement/kits')
const folder = mkdtempSync(join(tmpdir(), 'cloister-test-'))
const isInstalled = (program: string): boolean => spawnSync(program, ['--version']).status === 0
const programs: Array<Program> = []
afterAll(() => {
  for (const program of programs) program.end()
  rmSync(folder, { recursive: true })
})

/** Languages whose compiler or interpreter is installed; the tests of other languages are skipped. */
const languages: Readonly<Record<string, { readonly needs: string; readonly start: () => string }>> = {
  Python: { needs: 'python3', start: () => `python3 ${kits}/python/first_fit.py` },
  'C++': {
    needs: 'g++',
    start: () => {
      const { stderr, status } = spawnSync(
        'g++',
        [
          '-O1',
          '-std=c++17',
          '-Wall',
          '-Wextra',
          '-Werror',
          '-o',
          join(folder, 'first-fit'),
          `${kits}/cpp/first_fit.cpp`,
        ],
        { encoding: 'utf8' },
      )
      expect(stderr).toBe('')
      expect(status).toBe(0)
      return join(folder, 'first-fit')
    },
  },
}

async function logOf(policy: AnyPolicy): Promise<string> {
  const chunks: Array<Uint8Array> = []
  const spec = { trace: 'synth:8:150', topology: 'radix:8', policy: policy.name, queue: 'easy:50' }
  const sink = (chunk: Uint8Array): void => void chunks.push(chunk)
  await Effect.runPromise(run(spec, { sink }).pipe(Effect.provide(nodeServices({ policies: [policy] }))))
  return Buffer.concat(chunks)
    .toString()
    .replaceAll(/"policy":\{"name":"[^"]*","version":"[^"]*"|"hash":"[^"]*"/g, '')
}

describe.each(Object.entries(languages))('first fit in %s', (_, { needs, start }) => {
  it.skipIf(!isInstalled(needs))('passes every check of the suite, and decides as Baseline', async () => {
    const program = new Program(start())
    programs.push(program)
    const failed = [...runChecks(policyChecks(program.policy, { histories: 1 }))].filter(
      ({ outcome }) => outcome !== 'ok' && outcome !== 'not-claimed',
    )
    expect(failed).toEqual([])
    expect(await logOf(program.policy)).toBe(await logOf(baseline))
  })
})

/**
 * Names of Python's standard library that the kits use, by the version of Python that introduced the name, from the
 * documentation of Python. `.name` is a method. Objects have had the other methods and functions since 3.0.
 */
const introduced: Readonly<Record<string, string>> = {
  '3.5': 'math.inf',
  '3.1': '.bit_length',
  '3.0': `.__new__ .decode .encode .extend .flush .get .insert .items .join .partition .pop .replace .split .update .values
    .write __name__ bin dict enumerate functools.reduce getattr hasattr int isinstance json.JSONDecoder json.JSONEncoder
    json.dumps json.loads len list map max property range set sorted str sum super sys.stdin sys.stdout zip`,
}
/** Methods of policies and orders. */
const ofUsers = '.place .scores .first .scores_behind_head'
const ordering = join(kits, '../../ordering/kits')

function pythonIn(source: string): { readonly used: ReadonlyArray<string>; readonly error?: string } {
  const script = join(import.meta.dirname, 'programs/needs_python.py')
  return JSON.parse(spawnSync('python3', [script], { input: source, encoding: 'utf8' }).stdout)
}

describe.skipIf(!isInstalled('python3'))('the kits for Python', () => {
  it.each([
    `${kits}/python/cloister.py`,
    `${kits}/python/first_fit.py`,
    `${ordering}/python/cloister_order.py`,
    `${ordering}/python/wfp.py`,
  ])('Python 3.9 has the syntax and the library that %s uses, in at most 250 lines', (path) => {
    const source = readFileSync(path, 'utf8')
    const { used, error } = pythonIn(source)
    expect(error).toBeUndefined()
    const known = [...Object.values(introduced), ofUsers].flatMap((names) => names.split(/\s+/))
    expect(used.filter((name) => !/^cloister(_order)?\./.test(name) && !known.includes(name))).toEqual([])
    expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(250)
  })

  it('the test of the syntax and of the library finds code that needs a newer Python', () => {
    expect(pythonIn('match 1:\n    case 1:\n        pass\n').error).toContain('3.10 and greater')
    expect(pythonIn('try:\n    pass\nexcept* OSError:\n    pass\n').error).toContain('3.11 and greater')
    // int.bit_count is new in 3.10, and math.cbrt in 3.11.
    expect(pythonIn('import math\nmath.cbrt(n.bit_count())\n').used).toEqual(['.bit_count', 'math.cbrt'])
  })
})
