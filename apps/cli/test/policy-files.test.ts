import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Effect } from 'effect'
import { afterAll, describe, expect, it } from 'vitest'
import { importModule } from '../src/policy/import-module.ts'
import { complaint, Folder, small } from './cloister.ts'

const expected =
  'expected a JavaScript file (.js, .mjs, .cjs) or a TypeScript file (.ts, .mts, .cts; with types that can be erased) that exports the policy by default'

const simulate = async (folder: Folder, policy: string): Promise<string> =>
  complaint(await folder.cloister('simulate', ...small, '--policy', policy))

describe('--policy with a path that is no policy file is refused with the found object and the allowed files', () => {
  const folder = new Folder(afterAll)
  for (const name of ['p.py', 'p.json', 'p.tsx', 'p.jsx', 'p.txt', 'p.wasm', 'p.node', 'plain'])
    folder.write(name, 'print(1)')
  mkdirSync(join(folder.path, 'folder.ts'))
  mkdirSync(join(folder.path, 'inner/mine'), { recursive: true })
  execFileSync('mkfifo', [join(folder.path, 'pipe.js')])

  it.each([
    ['./p.py', 'a .py file'],
    ['p.py', 'a .py file'],
    ['./p.json', 'a .json file'],
    ['./p.tsx', 'a .tsx file'],
    ['./p.jsx', 'a .jsx file'],
    ['./p.txt', 'a .txt file'],
    ['p.txt', 'a .txt file'],
    ['./p.wasm', 'a .wasm file'],
    ['./p.node', 'a .node file'],
    ['./plain', 'a file without an extension'],
    ['.', 'a folder'],
    ['./folder.ts', 'a folder'],
    ['inner/mine', 'a folder'],
    ['./pipe.js', 'a pipe or a device'],
    ['/dev/null', 'a pipe or a device'],
    ['./none.ts', 'no such file (searched FOLDER/none.ts)'],
    ['none.mjs', 'no such file (searched FOLDER/none.mjs)'],
    ['./none', 'no such file (searched FOLDER/none)'],
    ['./p.py/mine.ts', 'no such file (searched FOLDER/p.py/mine.ts)'],
    ['file://FOLDER/p.py', 'a .py file'],
    ['file://FOLDER/none.ts', 'no such file'],
  ])('--policy refuses a path that is no policy file: %s', async (policy, found) => {
    const [named, told] = [policy, found].map((text) => text.replace('FOLDER', folder.path))
    expect((await simulate(folder, named)).trimEnd()).toBe(`cloister: ${named}: found ${told}, ${expected}`)
  })

  it('policy show, policy test and an experiment refuse a path that is no policy file, as simulate does', async () => {
    folder.write('e.json', '{"cells":[{"trace":"synth:4:10","topology":"radix:4","policy":"./p.py"}]}')
    for (const args of [
      ['policy', 'show', './p.py'],
      ['policy', 'test', './p.py'],
      ['sweep', 'e.json', '--out', 'results'],
    ])
      expect(complaint(await folder.cloister(...args))).toContain(`./p.py: found a .py file, ${expected}`)
  })

  it('--policy refuses a file that may not be read', () => {
    folder.write('secret.ts', 'export default 1')
    const path = join(folder.path, 'secret.ts')
    chmodSync(path, 0)
    chmodSync(folder.path, 0o755)
    const failure = unprivileged(() => Effect.runSync(Effect.flip(importModule(path))))
    expect(failure).toMatchObject({
      _tag: 'Problem',
      message: expect.stringMatching(`^${path}: found a file that may not be read \\(permission denied\\), expected `),
    })
  })
})

/** Runs a function without the rights of root, because root may read every file. */
function unprivileged<A>(run: () => A): A {
  if (process.getuid!() !== 0) return run()
  process.seteuid!(65_534)
  try {
    return run()
  } finally {
    process.seteuid!(0)
  }
}

it('a policy that imports a file of an unknown kind gets an error with the name of this file, not about TypeScript', () => {
  const folder = new Folder()
  folder.write('other.tsx', 'export default 1')
  folder.write('mine.mjs', "import './other.tsx'\nexport default 1")
  const message = complaint(folder.process('simulate', ...small, '--policy', './mine.mjs'))
  expect(message).toContain('Unknown file extension ".tsx"')
  expect(message).not.toContain('TypeScript')
})
