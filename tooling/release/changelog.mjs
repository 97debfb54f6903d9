/** Entries of CHANGELOG.md for changesets: the text of the changeset, without its commit and without updated packages. */
export default {
  getReleaseLine: ({ summary }) => {
    const text = summary.trim()
    return text.startsWith('- ') ? text : `- ${text.replaceAll(/\n(?=.)/g, '\n  ')}`
  },
  getDependencyReleaseLine: () => '',
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
