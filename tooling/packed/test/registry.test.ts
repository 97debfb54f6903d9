// Tests the packed tarballs in empty folders, as their author and user see them, with a registry on loopback.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { clientsHere, policyOfSomebody, publish, publishedPackages, startRegistry } from '@cloister/release'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
const work = mkdtempSync(join(tmpdir(), 'cloister-registry-'))
/** Packages of Cloister in the project of a new policy, dependencies first. */
const needed = ['@cloister/topology', '@cloister/placement', 'cloister', 'create-cloister-policy']
const packages = publishedPackages(root)
const clients = clientsHere()
if (clients.every(({ name }) => name !== 'bun'))
  console.warn('CLOISTER_BUN names no bun: no test makes a policy by bun')
let registry: { readonly url: string; readonly stop: () => void }

beforeAll(async () => {
  registry = await startRegistry(join(work, 'registry'), [...needed, 'cloister-policy-*'])
  for (const { folder } of packages.filter((each) => needed.includes(each.name))) {
    const packed = join(root, folder, 'package.tgz')
    expect(existsSync(packed), `${packed}: \`npm test\` and \`npm run pnpm -- run release:pack\` make this file`).toBe(
      true,
    )
    publish(registry.url, work, JSON.stringify(packed))
  }
})
afterAll(() => {
  registry?.stop()
  rmSync(work, { recursive: true, force: true })
})

test.each(clients)(
  '$name makes, tests and publishes a policy in an empty folder, simulates with the policy by name, and views the log',
  async (client) => {
    const { version } = packages.find(({ name }) => name === 'cloister')!
    expect(await policyOfSomebody(work, client, registry.url, version)).toBe(`by-${client.name}@0.1.0`)
  },
)
