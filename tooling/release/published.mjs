// The packages that are published, and whether they can be.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The packages of a workspace that are not private, by folder, in order. */
export function publishedPackages(root) {
  return globSync('{packages,packages/policies,apps}/*/package.json', { cwd: root })
    .sort()
    .map((file) => ({
      folder: file.slice(0, -'/package.json'.length),
      ...JSON.parse(readFileSync(join(root, file), 'utf8')),
    }))
    .filter((manifest) => manifest.private !== true)
    .map(({ folder, name, version, exports }) => ({ folder, name, version, exports }))
}

/** Why a workspace cannot be released as it is: packages that nobody may rely on yet, changes that no version has. */
export function unreleasable(root) {
  const unversioned = publishedPackages(root).filter(({ version }) => version.startsWith('0.'))
  const changesets = existsSync(join(root, '.changeset'))
    ? globSync('.changeset/*.md', { cwd: root }).filter((file) => !file.endsWith('README.md'))
    : []
  return [
    ...unversioned.map(
      ({ name, version }) => `${name} is at ${version}: a changeset with "${name}": major gives it 1.0.0`,
    ),
    ...(changesets.length === 0
      ? []
      : [
          `${changesets.length} changesets are in no version yet, such as ${changesets.sort()[0]}: release:version turns them into versions`,
        ]),
  ]
}
