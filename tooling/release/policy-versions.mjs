// Writes the versions that logs name where the code can read them: those of the policies and of the runner. Libraries read no files.
// Runs after `changeset version` (see the root's release:version).
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

for (const manifest of globSync('{packages/policies/*,packages/run}/package.json')) {
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
  writeFileSync(join(dirname(manifest), 'src/version.ts'), `export const version = '${version}'\n`)
}
