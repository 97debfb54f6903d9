/** The page as text. Where a log may be put in is marked by `<!--logs-->`. */
export function buildPage(): Promise<string>
