/**
 * Returns the SBOM (CycloneDX) of an installation, with third-party packages in bundles added, which npm does not know.
 *
 * @param notices notices of third parties in bundles, as the build writes them: a line `name version (licence)` for
 *   each
 */
export function withBundled(sbom, notices) {
  const known = new Set(sbom.components.map(({ purl }) => purl))
  const bundled = [...notices.matchAll(/^((?:@[\w.-]+\/)?[\w.-]+) (\d[\w.+-]*) \(([^)]+)\)$/gm)]
    .map(([, name, version, licence]) => ({
      type: 'library',
      name,
      version,
      purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
      licenses: [{ expression: licence }],
      properties: [{ name: 'cloister:bundled', value: 'true' }],
    }))
    .filter(({ purl }) => !known.has(purl))
  const once = new Map(bundled.map((each) => [each.purl, { 'bom-ref': each.purl, ...each }]))
  return { ...sbom, components: [...sbom.components, ...once.values()] }
}
