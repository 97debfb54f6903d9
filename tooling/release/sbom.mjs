/**
 * An SBOM (CycloneDX) of an installation, with what a program brings in its bundle: npm knows nothing of that.
 *
 * @param notices the notices of others of one bundle or several, as the build writes them: a line `name version (licence)` each
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
