// Lists the published packages, and the reasons against their release.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the packages of a workspace that are not private, sorted by folder. */
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

/** Returns the address of the repository's page from the root package.json. */
export function repositoryOf(root) {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).repository
}

/** Returns the fields of a package.json with addresses in the repository. @param folder the package's folder there */
export function addressesIn(repository, folder) {
  return {
    homepage: `${repository}/tree/HEAD/${folder}#readme`,
    bugs: `${repository}/issues`,
    repository: { type: 'git', url: `git+${repository}.git`, directory: folder },
  }
}

/** Returns the reasons against a release: packages with a version 0.x, and changesets that no version includes yet. */
export function unreleasable(root) {
  const unversioned = publishedPackages(root).filter(({ version }) => version.startsWith('0.'))
  const changesets = existsSync(join(root, '.changeset'))
    ? globSync('.changeset/*.md', { cwd: root }).filter((file) => !file.endsWith('README.md'))
    : []
  return [
    ...unversioned.map(
      ({ name, version }) => `${name} is at ${version}: a changeset with "${name}": major makes version 1.0.0`,
    ),
    ...(changesets.length === 0
      ? []
      : [
          `${changesets.length} changesets belong to no version yet, such as ${changesets.sort()[0]}: release:version makes versions from changesets`,
        ]),
  ]
}
