// Writes the versions of policies, of `run` and of `cli` into files src/version.ts, because logs name versions, but
// libraries read no files. The script release:version of package.json runs this file after `changeset version`.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

for (const manifest of globSync('{packages/policies/*,packages/run,apps/cli}/package.json')) {
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
  writeFileSync(join(dirname(manifest), 'src/version.ts'), `export const version = '${version}'\n`)
}
