/** Returns the page as HTML. The marker `<!--logs-->` stands at the place for embedded logs. */
export function buildPage(): Promise<string>

/** Returns the page and its bundled packages, with the texts of their licences. */
export function bundlePage(): Promise<{
  readonly page: string
  readonly packages: ReadonlyArray<{
    readonly name: string
    readonly version: string
    readonly license: string
    readonly texts: ReadonlyArray<string>
  }>
}>
