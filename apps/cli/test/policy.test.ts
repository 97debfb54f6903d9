import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Folder, complaint, namesIn, small } from './cloister.ts'

/** Returns the code of a policy without imports from Cloister. `place` is the body of the policy's function `place`. */
function policySource(name: string, place = 'return firstFree(topology, state, request)'): string {
  return `
interface View { readonly freeNodes: number; isNodeFree(node: number): boolean }
interface Asked { readonly nodes: number }
const validate = (value: unknown) =>
  typeof value === 'object' && value !== null ? { value } : { issues: [{ message: 'expected an object' }] }
const firstFree = (topology: { nodes: number }, state: View, request: Asked) => {
  if (request.nodes > topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
  if (request.nodes > state.freeNodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
  const nodes: number[] = []
  for (let node = 0; nodes.length < request.nodes; node++) if (state.isNodeFree(node)) nodes.push(node)
  return { ok: true, nodes, links: [] }
}
export default {
  contract: 1,
  name: '${name}',
  version: '0.1.0',
  config: { '~standard': { version: 1, vendor: 'test', validate } },
  make: (topology: { nodes: number }) => ({
    claims: { links: 'shared', fullBandwidth: false, exactSize: true, monotone: true, complete: true, speedupScenarios: false },
    place: (state: View, request: Asked) => { ${place} },
  }),
}
`
}

function installPackage(folder: Folder, name: string, exports: unknown, source: string): void {
  const root = `node_modules/${name}`
  mkdirSync(join(folder.path, root), { recursive: true })
  folder.write(`${root}/package.json`, JSON.stringify({ name, type: 'module', exports }))
  folder.write(`${root}/index.js`, source)
}

/** Removes the types from the code of a policy, because packages are installed as JavaScript. */
function javascript(source: string): string {
  return source.replace(/^interface.*$/gm, '').replace(/: (View|Asked|unknown|number\[\]|\{ nodes: number \})/g, '')
}

describe('policy list', () => {
  it('policy list prints the built-in policies, and how --policy finds further policies', async () => {
    const { stdout } = await new Folder().cloister('policy', 'list')
    expect(stdout).toMatch(/^baseline +\d/m)
    expect(stdout).toMatch(/^jigsaw +\d/m)
    expect(stdout).toContain('@cloister/policy-NAME or cloister-policy-NAME')
    expect(namesIn(await new Folder().json('policy', 'list'))).toEqual({
      builtin: [{ name: 'string', version: 'string', description: 'string' }],
      installed: [],
    })
  })
})

describe('a policy is found', () => {
  // The tests run a process, so that Node imports the policy instead of the test runner.
  const simulate = (folder: Folder, policy: string): unknown =>
    JSON.parse(folder.process('simulate', ...small, '--policy', policy, '--json').stdout)

  it('--policy finds a policy in a TypeScript file', () => {
    const folder = new Folder()
    folder.write('mine.ts', policySource('mine'))
    for (const path of ['./mine.ts', 'mine.ts', join(folder.path, 'mine.ts')])
      expect(simulate(folder, path)).toMatchObject({ policy: 'mine@0.1.0', jobs: { finished: 300 } })
  })

  it('--policy finds a policy in a package of the working directory, under any export condition', () => {
    const folder = new Folder()
    installPackage(
      folder,
      '@cloister/policy-scoped',
      { '.': { import: './index.js' } },
      javascript(policySource('one')),
    )
    installPackage(folder, 'cloister-policy-plain', { '.': { node: './index.js' } }, javascript(policySource('two')))
    installPackage(folder, 'theirs', './index.js', javascript(policySource('three')))
    expect(simulate(folder, 'scoped')).toMatchObject({ policy: 'one@0.1.0' })
    expect(simulate(folder, 'plain')).toMatchObject({ policy: 'two@0.1.0' })
    expect(simulate(folder, 'theirs')).toMatchObject({ policy: 'three@0.1.0' })
  })
})

describe('a value of --policy is refused', () => {
  const refusal = (source: string): string => {
    const folder = new Folder()
    folder.write('mine.ts', source)
    return complaint(folder.process('simulate', ...small, '--policy', './mine.ts'))
  }

  it('--policy refuses a name that no policy has, with a similar name in the message', async () => {
    const folder = new Folder()
    const message = complaint(await folder.cloister('simulate', ...small, '--policy', 'jigsw'))
    expect(message).toContain('there is no policy "jigsw"; did you mean jigsaw?')
    expect(message).toContain('cloister-policy-NAME')
    expect(complaint(await folder.cloister('simulate', ...small, '--policy', './none.ts'))).toContain(
      'found no such file',
    )
  })

  it('--policy refuses a file that cannot be imported', () => {
    expect(refusal("import 'no-such-package'")).toContain("Cannot find package 'no-such-package'")
    expect(refusal('const = 1')).toContain('SyntaxError')
    expect(refusal("throw new Error('not today')")).toMatch(/not today\n +at .*mine\.ts:1/)
  })

  it('--policy refuses a default export that is no policy, with a problem for each member', () => {
    expect(refusal('export const policy = 1')).toContain(
      'no default export, expected the policy (found exports: policy)',
    )
    expect(refusal('export default 7')).toContain('the default export is 7, expected an object')
    const message = refusal("export default { contract: 7, name: 'Mine', config: {}, make: true }")
    for (const part of [
      'contract is 7; this @cloister/placement knows contract 1: update @cloister/placement, or the program that brings it (cloister)',
      'name is "Mine"',
      'version is missing',
      'config is an object, expected a Standard Schema',
      'make is true, expected a function',
    ]) {
      expect(message).toContain(part)
    }
  })

  it('--policy refuses a policy that does not serve the machine', () => {
    const source = policySource('mine').replace(/make: [^]*\n  \}\),/, "make: () => ({ unsupported: 'rings only' }),")
    expect(refusal(source)).toContain('policy mine: does not serve radix:6: rings only')
  })

  it('--policy refuses a policy whose `make` returns no placer', () => {
    const source = policySource('mine').replace(/make: [^]*\n  \}\),/, 'make: () => ({ claims: {} }),')
    expect(refusal(source)).toContain('make returned {"claims":{}}; expected a placer')
  })

  it('--policy refuses a policy that throws, with file and line', () => {
    expect(refusal(policySource('mine', "throw new RangeError('lost')"))).toMatch(
      /policy mine \(\.\/mine\.ts\) failed at t = 0 s: place threw RangeError: lost[^]*mine\.ts:\d+/,
    )
  })

  it('simulate refuses a policy that places a job on nodes that are not free', () => {
    expect(
      refusal(
        policySource(
          'mine',
          'return { ok: true, nodes: Array.from({ length: request.nodes }, (_, node) => node), links: [] }',
        ),
      ),
    ).toMatch(/mine.*node 0/)
  })
})

describe('policy test', () => {
  it('policy test passes the built-in policies', async () => {
    const { code, stdout } = await new Folder().cloister('policy', 'test', 'baseline')
    expect(code).toBe(0)
    expect(stdout).toContain('The policy keeps the contract and its claims.')
    expect(stdout).toMatch(/^ok    links shared: /m)
    expect(stdout).toMatch(/^      full bandwidth: .*: not claimed$/m)
  })

  it('policy test shows the broken rules of a policy, and exits with 1', async () => {
    const folder = new Folder()
    folder.write('mine.ts', policySource('mine', 'return { ok: true, nodes: [0, 0], links: [] }'))
    const { code, stdout } = await folder.cloister('policy', 'test', './mine.ts')
    expect(code).toBe(1)
    expect(stdout).toContain('FAIL  a placement names free nodes and links, ascending, each once')
    expect(stdout).toMatch(/1 of \d+ checks failed; \d+ checks \(-\) need the failed check, and did not run\./)
    const result = JSON.parse((await folder.cloister('policy', 'test', './mine.ts', '--json')).stdout)
    expect(namesIn(result)).toEqual({
      policy: 'string',
      origin: 'string',
      ok: 'boolean',
      checks: [{ name: 'string', ok: 'boolean' }],
    })
    const root = 'a placement names free nodes and links, ascending, each once'
    expect(result.checks).toContainEqual({ name: root, ok: false, problem: expect.stringContaining('ascend') })
    expect(result.checks.at(-1)).toEqual({ name: expect.any(String), ok: false, hiddenBy: root })
  })

  it('policy test passes a good foreign policy', async () => {
    const folder = new Folder()
    folder.write('mine.ts', policySource('mine'))
    expect(await folder.json('policy', 'test', './mine.ts')).toMatchObject({
      policy: 'mine@0.1.0',
      origin: './mine.ts',
      ok: true,
    })
  })

  // Each test runs a process, because the policy could end the process of the tests.
  it.each([
    ['place', 'process.exit(0)'],
    ['place, by an imported exit', 'exit(0)'],
  ])('policy test is not ended by a policy that calls process.exit in %s', (_, body) => {
    const folder = new Folder()
    folder.write(
      'mine.ts',
      `import { exit } from 'node:process'\nexit satisfies unknown\n${policySource('mine', body)}`,
    )
    const { code, stdout, stderr } = folder.process('policy', 'test', './mine.ts')
    expect(stdout, stderr).toMatch(/^FAIL .*\n +.*ExitCalledError: the policy called process\.exit\(0\)/m)
    expect(stdout).toMatch(/checks failed/)
    expect(code).toBe(1)
  })

  it('policy test is not ended by a policy that calls process.exit in make', () => {
    const folder = new Folder()
    const source = policySource('mine').replace('({\n    claims', '(process.exit(0), {\n    claims')
    folder.write('mine.ts', source)
    const { code, stdout, stderr } = folder.process('policy', 'test', './mine.ts')
    expect(stdout + stderr).toContain('ExitCalledError: the policy called process.exit(0)')
    expect(code).toBe(1)
  })
})

interface Shown {
  readonly options: ReadonlyArray<{ readonly description?: string }>
}

describe('policy show', () => {
  it('policy show shows options with types and defaults, claims on a topology, and the start of the README', async () => {
    const { code, stdout } = await new Folder().cloister('policy', 'show', 'jigsaw', '--topology', 'radix:4')
    expect(code).toBe(0)
    expect(stdout).toContain('jigsaw@')
    expect(stdout).toContain('each job owns a partition of nodes and links')
    expect(stdout).toMatch(/^order +"densest-first" \| "sparsest-first" +"densest-first" +try shapes with many nodes/m)
    expect(stdout).toMatch(/^maxSteps +integer > 0 +none/m)
    expect(stdout).toMatch(/^Claims on radix:4:\nlinks +owned\nrule +jigsaw-conditions/m)
  })

  it('policy show works for every built-in policy', async () => {
    const { builtin } = (await new Folder().json('policy', 'list')) as {
      readonly builtin: ReadonlyArray<{ readonly name: string }>
    }
    for (const { name } of builtin) {
      const shown = (await new Folder().json('policy', 'show', name)) as Shown
      expect(shown).toMatchObject({
        introduction: expect.any(String),
        options: expect.any(Array),
        topology: 'radix:18',
      })
      for (const { description } of shown.options) expect(description).toEqual(expect.any(String))
    }
  })

  it('policy show shows claims under --policy-config, and the reason why a topology is not served', async () => {
    const shared = await new Folder().json(
      'policy',
      'show',
      'jigsaw',
      '--policy-config',
      '{"sharing":{"capacity":4000}}',
    )
    expect(shared).toMatchObject({ claims: { links: 'capped' }, linkCapacity: 4000 })
    expect(await new Folder().json('policy', 'show', 'jigsaw', '--topology', 'kary:2:4')).toMatchObject({
      claims: null,
      unsupported: expect.stringContaining('it has 4 levels'),
    })
    expect(
      complaint(await new Folder().cloister('policy', 'show', 'jigsaw', '--policy-config', '{"order":1}')),
    ).toContain('order: Invalid type: Expected')
  })

  it('policy show shows a policy whose schema lists no options, and a policy with a Standard JSON Schema', async () => {
    const folder = new Folder()
    folder.write('mine.ts', policySource('mine'))
    expect(await folder.json('policy', 'show', './mine.ts')).toMatchObject({ introduction: null, options: null })
    const input = `() => ({
      type: 'object', required: ['spare'],
      properties: { spare: { type: 'integer', minimum: 0 }, ways: { type: 'array', items: { $ref: '#/$defs/way' } } },
      $defs: { way: { anyOf: [{ const: 'up' }, { type: 'number', exclusiveMaximum: 1 }] } },
    })`
    folder.write('told.ts', policySource('told').replace('validate }', `validate, jsonSchema: { input: ${input} } }`))
    expect(((await folder.json('policy', 'show', './told.ts')) as Shown).options).toEqual([
      { name: 'spare', type: 'integer >= 0', required: true },
      { name: 'ways', type: 'list of "up" | number < 1', required: false },
    ])
  })

  it('policy show shows the README of an installed package', () => {
    const folder = new Folder()
    installPackage(folder, 'cloister-policy-theirs', './index.js', javascript(policySource('theirs')))
    folder.write('node_modules/cloister-policy-theirs/README.md', '# theirs\n\nPuts jobs\nanywhere.\n\nMore.\n')
    expect(JSON.parse(folder.process('policy', 'show', 'theirs', '--json').stdout)).toMatchObject({
      introduction: 'Puts jobs anywhere.',
    })
  })
})
