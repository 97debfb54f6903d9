import { Context } from 'effect'

/** The browser of whoever runs the command. */
export class Browser extends Context.Service<
  Browser,
  {
    /** Shows an address; where there is no browser, nothing happens. */
    readonly open: (url: string) => void
  }
>()('cloister/Browser') {}
