/** A page of the site before VitePress: Markdown and a path. */
export interface Page {
  /** Path on the site without an extension: `reference/packages/topology`. */
  readonly path: string
  /** Name in lists of pages. */
  readonly name: string
  readonly markdown: string
}

/** Pages with a common title in the list beside every page. */
export interface Chapter {
  readonly title: string
  readonly pages: ReadonlyArray<Page>
}

/** Returns the title of a Markdown document. @throws Error if the document has no title */
export function titleOf(markdown: string): string {
  const title = /^# (.+)$/m.exec(markdown)?.[1]
  if (title === undefined) throw new Error('a document begins with its title: # …')
  return title.replaceAll('`', '')
}
