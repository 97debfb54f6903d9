// Writes the versions in logs into source files: of policies, of the runner and of the command line. Libraries read no
// files. Runs after `changeset version` (see the root's release:version).
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

for (const manifest of globSync('{packages/policies/*,packages/run,apps/cli}/package.json')) {
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
  writeFileSync(join(dirname(manifest), 'src/version.ts'), `export const version = '${version}'\n`)
}
