/** Entries of CHANGELOG.md: the text of a changeset without its commit, and the updated packages with a new major version. */
export default {
  getReleaseLine: ({ summary }) => {
    const text = summary.trim()
    return text.startsWith('- ') ? text : `- ${text.replaceAll(/\n(?=.)/g, '\n  ')}`
  },
  getDependencyReleaseLine: (_, updated) => {
    const majors = updated.filter(({ type }) => type === 'major').map(({ name, newVersion }) => `${name} ${newVersion}`)
    return majors.length === 0 ? '' : `- Needs ${majors.join(', ')}.`
  },
}

/**
 * Returns a changelog whose newest version is 1.0.0 with only the entries of `major` changesets, which describe the
 * package. The other entries describe changes between states that nobody could install.
 */
export function withoutUnpublishedChanges(changelog) {
  return changelog.replace(
    /^(# .*\n\n## 1\.0\.0\n\n)### Major Changes\n\n(.*?)(\n\n### (Minor|Patch) Changes\n.*)?\n*$/s,
    '$1First release.\n\n$2\n',
  )
}
