/** A page of the site before VitePress: Markdown, and where it stands. */
export interface Page {
  /** Its path on the site, without an extension: `reference/packages/topology`. */
  readonly path: string
  /** Its name in lists of pages. */
  readonly name: string
  readonly markdown: string
}

/** Pages that stand together in the list beside every page. */
export interface Chapter {
  readonly title: string
  readonly pages: ReadonlyArray<Page>
}

/** The title of a Markdown document. @throws Error where it has none */
export function titleOf(markdown: string): string {
  const title = /^# (.+)$/m.exec(markdown)?.[1]
  if (title === undefined) throw new Error('a document begins with its title: # …')
  return title.replaceAll('`', '')
}
