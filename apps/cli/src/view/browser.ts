import { Context } from 'effect'

/** The browser of whoever runs the command. */
export class Browser extends Context.Service<
  Browser,
  {
    /** Shows an address, which other users of the machine can read; where there is no browser, nothing happens. */
    readonly open: (url: string) => void
  }
>()('cloister/Browser') {}
