// Tests of `cloister policy test --watch`, a process that waits until a file is saved.
import { type ChildProcess, spawn } from 'node:child_process'
import { expect, it, onTestFinished } from 'vitest'
import { bundle, complaint, Folder } from './cloister.ts'

const policy = `
import { name } from './name.mjs'
const validate = (value) => (typeof value === 'object' && value !== null ? { value } : { issues: [{ message: 'expected an object' }] })
const claims = { links: 'shared', fullBandwidth: false, exactSize: true, monotone: true, complete: true, speedupScenarios: false }
const place = (topology, state, { nodes: asked }) => {
  if (asked > topology.nodes) return { ok: false, code: 'never', constraint: 'machine size' }
  if (asked > state.freeNodes) return { ok: false, code: 'too-few-nodes', free: state.freeNodes }
  const nodes = []
  for (let node = 0; nodes.length < asked; node++) if (state.isNodeFree(node)) nodes.push(node)
  return { ok: true, nodes, links: [] }
}
export default {
  contract: 1, name, version: '0.1.0', config: { '~standard': { version: 1, vendor: 'test', validate } },
  make: (topology) => ({ claims, place: (state, request) => place(topology, state, request) }),
}
`

/** Process of `policy test --watch`, with the output so far. */
class Watched {
  readonly #child: ChildProcess
  #said = ''
  #seen = 0

  constructor(folder: Folder, ...args: ReadonlyArray<string>) {
    this.#child = spawn(process.execPath, [bundle, ...args], { cwd: folder.path, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      stream.on('data', (text: Buffer) => (this.#said += text.toString()))
    onTestFinished(() => void this.#child.kill())
  }

  /** Waits until a text appears in the output, after the text of the last call. */
  async says(text: string): Promise<void> {
    await expect.poll(() => this.#said.slice(this.#seen)).toContain(text)
    this.#seen = this.#said.indexOf(text, this.#seen) + text.length
  }

  /** Ends the process, and waits until its output has ended. */
  async ends(): Promise<void> {
    const closed = new Promise((resolve) => this.#child.once('close', resolve))
    this.#child.kill('SIGTERM')
    await closed
  }
}

it('policy test --watch tests a policy again after each save of the policy or of an imported file, until a signal', async () => {
  const folder = new Folder()
  folder.write('mine.mjs', policy)
  folder.write('name.mjs', "export const name = 'first'\n")
  const watched = new Watched(folder, 'policy', 'test', './mine.mjs', '--watch')
  await watched.says('first@0.1.0 (./mine.mjs)')
  await watched.says('The policy keeps the contract and its claims.')
  folder.write('name.mjs', 'export const nam')
  await watched.says('cloister: ./mine.mjs')
  folder.write('name.mjs', "export const name = 'second'\n")
  await watched.says('second@0.1.0 (./mine.mjs)')
  await watched.says('The policy keeps the contract and its claims.')
  folder.write('mine.mjs', policy.replace('contract: 1', 'contract: 99'))
  await watched.says('contract')
  await watched.ends()
}, 120_000)

it('policy test --watch is refused for a built-in policy', async () => {
  const folder = new Folder()
  expect(complaint(await folder.cloister('policy', 'test', 'jigsaw', '--watch'))).toContain(
    '--watch: jigsaw is a built-in policy, and has no file to watch',
  )
})
