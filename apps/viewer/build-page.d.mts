/**
 * Returns the page as HTML. The marker `<!--logs-->` stands at the place for embedded logs.
 *
 * @param main file of the script that calls `showPage`; if absent, the page of `cloister view`
 */
export function buildPage(main?: string): Promise<string>

/** Returns the page and its bundled packages, with the texts of their licences. */
export function bundlePage(
  main?: string,
): Promise<{
  readonly page: string
  readonly packages: ReadonlyArray<{
    readonly name: string
    readonly version: string
    readonly license: string
    readonly texts: ReadonlyArray<string>
  }>
}>
