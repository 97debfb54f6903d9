import type { Drawer } from '@cloister/figures'
import { Effect } from 'effect'

/** Creates an empty HTML document, in which drawings can be made without a browser. Loads the library at first use. */
export const emptyDocument: Effect.Effect<Drawer> = Effect.promise(async () => {
  const { parseHTML } = await import('linkedom')
  return parseHTML('<!doctype html><html><body></body></html>').document
})
