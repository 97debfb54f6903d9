import { Context } from 'effect'

/** Browser of the user. */
export class Browser extends Context.Service<
  Browser,
  {
    /** Opens an address. All users of the machine can read the address. Without a browser, nothing happens. */
    readonly open: (url: string) => void
  }
>()('cloister/Browser') {}
