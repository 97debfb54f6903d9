// Tests of policy test --watch, a process that waits for saved files.
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
  contract: 2, name, version: '0.1.0', config: { '~standard': { version: 1, vendor: 'test', validate } },
  make: (topology) => ({ claims, place: (state, request) => place(topology, state, request) }),
}
`

/** Process, with the output so far. */
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

  /** Waits for a text in the output, after the text of the last wait. */
  async says(text: string): Promise<void> {
    await expect.poll(() => this.#said.slice(this.#seen)).toContain(text)
    this.#seen = this.#said.indexOf(text, this.#seen) + text.length
  }

  /** Ends the process, and waits until nothing writes any more. */
  async ends(): Promise<void> {
    const closed = new Promise((resolve) => this.#child.once('close', resolve))
    this.#child.kill('SIGTERM')
    await closed
  }
}

it('tests a policy again after each save of the policy or of its imports, until the process is ended', async () => {
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
  folder.write('mine.mjs', policy.replace('contract: 2', 'contract: 99'))
  await watched.says('contract')
  await watched.ends()
}, 120_000)

it('is refused for a policy without a file', async () => {
  const folder = new Folder()
  expect(complaint(await folder.cloister('policy', 'test', 'jigsaw', '--watch'))).toContain(
    '--watch: jigsaw is a built-in policy, and has no file to watch',
  )
})
