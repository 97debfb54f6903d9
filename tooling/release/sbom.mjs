/**
 * Adds to an SBOM (CycloneDX) by npm the third-party packages in bundles, which npm does not know.
 *
 * @param notices text of THIRD-PARTY-NOTICES.txt, with a line `name version (licence)` for each package
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
