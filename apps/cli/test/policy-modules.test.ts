import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bundle, complaint, Folder, small } from './cloister.ts'

/** Returns the code of a policy that takes the first free nodes, and imports nothing from Cloister. */
const policy = (name: string, version = '0.1.0') => `{
  contract: 1,
  name: '${name}',
  version: '${version}',
  config: { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } },
  make: (topology) => ({
    claims: { links: 'shared', fullBandwidth: false, exactSize: true, monotone: true, complete: true, speedupScenarios: false },
    place: (state, request) => firstFree(topology, state, request),
  }),
}`
const firstFree = `function firstFree(topology, state, request) {
  if (request.nodes > topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
  if (request.nodes > state.freeNodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
  const nodes = []
  for (let node = 0; nodes.length < request.nodes; node++) if (state.isNodeFree(node)) nodes.push(node)
  return { ok: true, nodes, links: [] }
}`

function installed(folder: Folder, name: string, source: string, manifest: object = {}): void {
  mkdirSync(join(folder.path, 'node_modules', name), { recursive: true })
  folder.write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '9.9.9', type: 'module', exports: { '.': { import: './index.js' } }, ...manifest })) // oxfmt-ignore
  folder.write(`node_modules/${name}/index.js`, source)
}

/** Simulates in a process, so that Node imports the policy instead of the test runner. */
const simulate = (folder: Folder, name: string) => folder.process('simulate', ...small, '--policy', name, '--json')

describe('in a package of type commonjs, as npm makes packages', () => {
  const npmPackage = (): Folder => {
    const folder = new Folder()
    folder.write('package.json', '{ "name": "mine", "version": "1.0.0", "main": "index.js", "type": "commonjs" }')
    return folder
  }

  it.each(['ts', 'js'])(
    'in a package of type commonjs, a .%s policy with the syntax of modules and its imports are modules',
    (ending) => {
      const folder = npmPackage()
      folder.write(`free.${ending}`, `export ${firstFree}`)
      const type = ending === 'ts' ? '\ninterface Unused { readonly a: number }' : ''
      folder.write(`mine.${ending}`, `import { firstFree } from './free.${ending}'${type}\nexport default ${policy('mine')}`) // oxfmt-ignore
      const { code, stdout, stderr } = simulate(folder, `./mine.${ending}`)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(JSON.parse(stdout)).toMatchObject({ policy: 'mine@0.1.0', jobs: { finished: 300 } })
    },
  )

  it('in a package of type commonjs, the CommonJS output of tsc for a policy is a valid policy', () => {
    const folder = npmPackage()
    folder.write('mine.js', `"use strict";\nObject.defineProperty(exports, "__esModule", { value: true });\n${firstFree}\nconst mine = ${policy('compiled')};\nexports.mine = mine;\nexports.default = mine;\n`) // oxfmt-ignore
    expect(JSON.parse(simulate(folder, './mine.js').stdout)).toMatchObject({ policy: 'compiled@0.1.0' })
    installed(folder, 'cloister-policy-built', '', { type: 'commonjs', exports: undefined, main: '../../mine.js' })
    expect(JSON.parse(simulate(folder, 'built').stdout)).toMatchObject({ policy: 'compiled@0.1.0' })
  })

  it('in a package of type commonjs, a script with `import` in a string stays a script', () => {
    const folder = npmPackage()
    folder.write('mine.js', `const text = \`\nexport default 1\nimport x\`\n${firstFree}\nmodule.exports = ${policy('script')}`) // oxfmt-ignore
    expect(JSON.parse(simulate(folder, './mine.js').stdout)).toMatchObject({ policy: 'script@0.1.0' })
  })

  it('a syntax error and a missing import of a policy are reported with file and line', () => {
    const folder = npmPackage()
    folder.write('mine.ts', 'export const = 1')
    expect(complaint(simulate(folder, './mine.ts'))).toContain('SyntaxError')
    folder.write('other.ts', "import './none.ts'\nexport default 1")
    expect(complaint(simulate(folder, './other.ts'))).toContain('none.ts')
  })
})

describe('a built-in policy', () => {
  it('a built-in policy takes precedence over an installed policy of the same name, with a remark', () => {
    const folder = new Folder()
    installed(folder, '@cloister/policy-jigsaw', `${firstFree}\nexport default ${policy('jigsaw', '9.9.9')}`)
    const { stdout, stderr } = simulate(folder, 'jigsaw')
    expect(JSON.parse(stdout)).toMatchObject({ policy: expect.not.stringContaining('9.9.9') })
    expect(stderr).toMatch(
      /^jigsaw is the built-in policy jigsaw@\d\S*; --policy @cloister\/policy-jigsaw uses the installed policy @cloister\/policy-jigsaw@9\.9\.9$/m,
    )
    const asked = simulate(folder, '@cloister/policy-jigsaw')
    expect(JSON.parse(asked.stdout)).toMatchObject({ policy: 'jigsaw@9.9.9' })
    expect(asked.stderr).toBe('')
  })
})

it('policy list shows the policies installed in the working directory and the folders above, without loading their code', async () => {
  const folder = new Folder()
  for (const name of ['@cloister/policy-jigsaw', 'cloister-policy-mine', '@cloister/policy-mine', 'cloister-other'])
    installed(
      folder,
      name,
      'throw new Error("loaded")',
      name === '@cloister/policy-jigsaw' ? { description: 'Ours' } : {},
    )
  mkdirSync(join(folder.path, 'inner/node_modules/cloister-policy-near'), { recursive: true })
  folder.write('inner/node_modules/cloister-policy-near/package.json', '{ "name": "cloister-policy-near", "version": "1.2.3" }') // oxfmt-ignore
  mkdirSync(join(folder.path, 'inner/node_modules/cloister-policy-broken'))
  folder.write('inner/node_modules/cloister-policy-broken/package.json', 'none')
  const listed = (inside: string) =>
    JSON.parse(folder.run(['-e', `process.chdir(${JSON.stringify(inside)}); process.argv.splice(1, 0, ${JSON.stringify(bundle)}); import(${JSON.stringify(bundle)})`, 'policy', 'list', '--json']).stdout).installed // oxfmt-ignore
  const outer = [
    { name: '@cloister/policy-jigsaw', version: '9.9.9', description: 'Ours', package: '@cloister/policy-jigsaw' },
    { name: 'mine', version: '9.9.9', description: '', package: '@cloister/policy-mine' },
    { name: 'cloister-policy-mine', version: '9.9.9', description: '', package: 'cloister-policy-mine' },
  ]
  expect(listed('.')).toEqual(outer)
  expect(listed('inner')).toEqual([
    ...outer,
    { name: 'near', version: '1.2.3', description: '', package: 'cloister-policy-near' },
  ])
  expect((await folder.cloister('policy', 'list')).stdout).toMatch(/^mine +9\.9\.9 +@cloister\/policy-mine$/m)
})

// The environment variable CLOISTER_BUN names the program Bun, because Bun is not installed everywhere.
const bun = process.env['CLOISTER_BUN']
if (bun === undefined) console.warn('CLOISTER_BUN names no bun: the program is not run by it here')
it.skipIf(bun === undefined)(
  'under Bun, --policy finds a policy by the name of the package, and by the path of the file',
  () => {
    const folder = new Folder()
    const source = `${firstFree}\nexport default ${policy('mine')}`
    installed(folder, 'cloister-policy-mine', source)
    folder.write('mine.mjs', source)
    for (const name of ['mine', 'cloister-policy-mine', './mine.mjs']) {
      const script = `const { spawnSync } = require('node:child_process')
      const { stdout, stderr } = spawnSync(${JSON.stringify(bun)}, ${JSON.stringify([bundle, 'simulate', ...small, '--policy', name, '--json'])}, { encoding: 'utf8' })
      process.stdout.write(stdout)
      process.stderr.write(stderr)`
      const { stdout, stderr } = folder.run(['-e', script])
      expect(stderr).toBe('')
      expect(JSON.parse(stdout)).toMatchObject({ policy: 'mine@0.1.0' })
    }
  },
)
