/** The page as text. Where a log may be put in is marked by `<!--logs-->`. */
export function buildPage(): Promise<string>

/** The page, and the packages of others that it holds, with the texts of their licences. */
export function bundlePage(): Promise<{
  readonly page: string
  readonly packages: ReadonlyArray<{
    readonly name: string
    readonly version: string
    readonly license: string
    readonly texts: ReadonlyArray<string>
  }>
}>
