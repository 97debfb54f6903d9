import { Context } from 'effect'

/** Service to open the browser of the user. */
export class Browser extends Context.Service<
  Browser,
  {
    /** Opens an address. Other users can read the address in the list of processes. Does nothing without a browser. */
    readonly open: (url: string) => void
  }
>()('cloister/Browser') {}
