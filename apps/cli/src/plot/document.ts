import type { Drawer } from '@cloister/viewer/pictures'
import { parseHTML } from 'linkedom'

/** Returns an empty HTML document, in which drawings can be made without a browser. */
export function emptyDocument(): Drawer {
  return parseHTML('<!doctype html><html><body></body></html>').document
}
