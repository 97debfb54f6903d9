// Writes every policy's version where its policy can read it: a log names the policy's version, and a policy reads no files.
// Runs after `changeset version` (see the root's release:version).
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

for (const manifest of globSync('packages/policies/*/package.json')) {
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
  writeFileSync(join(dirname(manifest), 'src/version.ts'), `export const version = '${version}'\n`)
}
