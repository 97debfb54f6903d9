// The script release:version of package.json runs this file after `changeset version`. Writes the versions of policies,
// of `run` and of `cli` into files src/version.ts, because logs name versions, but libraries read no files. Writes the
// version of `cli` into the files that describe the software for citations, and shortens changelogs of first releases.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withoutUnpublishedChanges } from './changelog.mjs'

for (const manifest of globSync('{packages/policies/*,packages/run,apps/cli}/package.json')) {
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
  writeFileSync(join(dirname(manifest), 'src/version.ts'), `export const version = '${version}'\n`)
}

const { version } = JSON.parse(readFileSync('apps/cli/package.json', 'utf8'))
for (const file of ['CITATION.cff', 'codemeta.json', '.zenodo.json']) {
  const described = readFileSync(file, 'utf8')
  writeFileSync(file, described.replace(/^(version: | *"version": ")[^"\n]*/m, `$1${version}`))
}

for (const file of globSync('{packages,packages/policies,apps}/*/CHANGELOG.md'))
  writeFileSync(file, withoutUnpublishedChanges(readFileSync(file, 'utf8')))
